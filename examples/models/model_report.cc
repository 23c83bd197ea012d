#include "examples/models/model_report.h"

#include "aggregator/console/table.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::examples {
namespace {

constexpr const char* kNeighbours = "replace-one";

std::string number(double value, bool exact) {
  return exact ? console::exact_number(value) : console::short_number(value, 3);
}

std::string guarantee(const Setting& setting, Trust trust) {
  return "pure, epsilon " + setting.epsilon.to_string() + (trust == Trust::kLocal ? ", local" : ", central");
}

double seconds_a_release(const Watch& watch) {
  return watch.releases == 0 ? 0 : watch.seconds / static_cast<double>(watch.releases);
}

std::string reason(const ModelComparison& comparison, std::size_t m) {
  const Mechanism& mechanism = comparison.models[m].mechanism;
  for (std::size_t q = 0; q < mechanism.refusals.size(); ++q) {
    if (comparison.scores[m].queries[q].answered) continue;
    if (mechanism.refusals[q]) return mechanism.refusals[q]->message;
    if (comparison.watches[m].failure) return comparison.watches[m].failure->message;
    return comparison.models[m].trust == Trust::kLocal ? "too few reports"
                                                       : "the budget of the mechanism was spent before";
  }
  return "";
}

}  // namespace

Result<ModelComparison> compare_models(const Setting& setting, const std::string& name, const Population& people,
                                       const std::vector<Model>& models, const Plan& plan, std::uint64_t seed,
                                       const Randomness& randomness) {
  std::vector<Mechanism> mechanisms;
  for (const Model& model : models) {
    *model.watch = {};
    mechanisms.push_back(model.watched());
  }
  HEARSAY_TRY(std::vector<Score> scores, compare(setting, people, mechanisms, plan, randomness));
  ModelComparison comparison{name, seed, plan, models, std::move(scores), {}};
  for (const Model& model : models) comparison.watches.push_back(*model.watch);
  return comparison;
}

Rows model_table(const Setting& setting, const ModelComparison& comparison, bool exact) {
  Rows rows{{"mechanism", "guarantee", "neighbours", "answered", "bias", "RMSE", "worst error", "seconds", "chosen",
             "not answered"}};
  for (std::size_t m = 0; m < comparison.models.size(); ++m) {
    const Model& model = comparison.models[m];
    const Score& score = comparison.scores[m];
    std::vector<std::string> row{model.mechanism.name, guarantee(setting, model.trust), kNeighbours,
                                 std::to_string(score.answered)};
    if (score.answered == 0) {
      row.insert(row.end(), {"", "", "", ""});
    } else {
      row.push_back(exact || shows_bias(score, comparison.plan.runs) ? number(score.bias, exact) : "not shown");
      for (const double value : {score.rmse, score.worst_error, seconds_a_release(comparison.watches[m])}) {
        row.push_back(number(value, exact));
      }
    }
    row.push_back(model.note);
    row.push_back(reason(comparison, m));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json models_to_json(const Setting& setting, const ModelComparison& comparison) {
  Json document{{"population", comparison.population},
                {"epsilon", setting.epsilon.to_string()},
                {"users", comparison.plan.users},
                {"runs", comparison.plan.runs},
                {"seed", comparison.seed},
                {"queries", Json::array()},
                {"mechanisms", Json::array()},
                {"terms", terms(setting)}};
  for (const Query& query : setting.queries) document["queries"].push_back(query.as_written(setting.schema));
  for (std::size_t m = 0; m < comparison.models.size(); ++m) {
    const Model& model = comparison.models[m];
    const Score& score = comparison.scores[m];
    Json entry{{"name", model.mechanism.name},
               {"guarantee", guarantee(setting, model.trust)},
               {"neighbours", kNeighbours},
               {"answered", score.answered}};
    if (score.answered > 0) {
      entry.update({{"bias", score.bias},
                    {"bias_shown", shows_bias(score, comparison.plan.runs)},
                    {"rmse", score.rmse},
                    {"worst_error", score.worst_error},
                    {"seconds", seconds_a_release(comparison.watches[m])}});
    }
    if (!model.note.empty()) entry["chosen"] = model.note;
    if (const std::string why = reason(comparison, m); !why.empty()) entry["not_answered"] = why;
    document["mechanisms"].push_back(std::move(entry));
  }
  return document;
}

std::vector<std::string> terms(const Setting& setting) {
  return {"All mechanisms have the same people, the same queries and epsilon " + setting.epsilon.to_string() +
              " for all answers of a mechanism together; neighbours differ in one replaced record, and the number of "
              "people is public.",
          "Bias and RMSE: root mean squares over the answered queries. The bias is without the simulation's own noise; "
          "it is \"not shown\" if this noise explains the errors. Worst error: the mean over the runs of the "
          "largest error. Seconds: for one release with all answers; for local mechanisms, also with all reports.",
          "Not here: halfspaces, parities, maximum and minimum, sums, means and networks, which are no counting "
          "queries on such records; Markov chains, for which no epsilon is proven."};
}

charts::LineChart model_chart(const Setting& setting, const std::vector<ModelComparison>& sizes) {
  charts::LineChart chart{
      "Error of local and central answers by number of users", "", "users", "root mean square error", {}};
  chart.subtitle = sizes.front().population + ", ε = " + setting.epsilon.to_string() + " for all of " +
                   std::to_string(setting.queries.size()) + " queries; solid: local, dashed and dotted: central";
  for (std::size_t m = 0; m < sizes.front().models.size(); ++m) {
    const Model& model = sizes.front().models[m];
    charts::Series series{model.mechanism.name, charts::LineStyle::kSolid, {}};
    if (model.trust == Trust::kCurator)
      series.style = model.synthetic ? charts::LineStyle::kDotted : charts::LineStyle::kDashed;
    for (const ModelComparison& size : sizes) {
      const Score& score = size.scores[m];
      // Sizes are comparable only if the model answers the same queries at each size. An error of 0 has no logarithm.
      if (score.answered > 0 && score.answered == model.mechanism.answered() && score.rmse > 0) {
        series.points.push_back({static_cast<double>(size.plan.users), score.rmse});
      }
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace hearsay::examples
