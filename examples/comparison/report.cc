#include "examples/comparison/report.h"

#include "common/base/strict_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace hearsay::examples {
namespace {

std::string text_of(double value, bool exact) {
  std::array<char, 32> text{};
  if (exact) return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  const bool whole = std::abs(value) >= 100;
  const int length = std::snprintf(text.data(), text.size(), whole ? "%.0f" : "%.3g", value);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string text_of(const LimitRatio& ratio, bool exact) {
  if (std::isnan(ratio.value)) return "";
  return (ratio.at_most && !exact ? "<= " : "") + text_of(ratio.value, exact);
}

LimitRatio ratio_of(const Comparison& comparison, std::size_t i) {
  return comparison.limit_ratios.empty() ? LimitRatio{} : comparison.limit_ratios[i];
}

std::string reason(const Mechanism& mechanism, std::size_t i) {
  return mechanism.refusals[i] ? std::string(error_name(mechanism.refusals[i]->code)) : "too few reports";
}

// Returns how many queries have no answer and the first reason; empty if all have an answer.
std::string note(const Mechanism& mechanism, const Score& score) {
  const std::size_t missing = score.queries.size() - score.answered;
  for (std::size_t i = 0; i < score.queries.size(); ++i) {
    if (score.queries[i].answered) continue;
    const std::string count = missing == score.queries.size() ? "no query" : "not " + std::to_string(missing);
    return count + ": " + (mechanism.refusals[i] ? mechanism.refusals[i]->message : "too few reports");
  }
  return "";
}

// If mechanism i is one of the literature's, returns a mechanism of this system with the same worst case. Most often
// the two are one mechanism under two names. Returns null if there is no such mechanism.
const Mechanism* same_as(const Comparison& comparison, std::size_t i) {
  constexpr double kSame = 1e-4;  // the largest relative difference of worst cases that count as the same
  const double value = ratio_of(comparison, i).value;
  if (comparison.mechanisms[i].origin != Origin::kLiterature || std::isnan(value)) return nullptr;
  for (std::size_t m = 0; m < comparison.mechanisms.size(); ++m) {
    const bool is_ours = comparison.mechanisms[m].origin == Origin::kOurs;
    if (is_ours && std::abs(ratio_of(comparison, m).value - value) <= kSame * value) return &comparison.mechanisms[m];
  }
  return nullptr;
}

}  // namespace

Rows summary(const Comparison& comparison, bool exact) {
  Rows rows{{"mechanism", "answered", "bias", "RMSE", "worst error", "bytes", "users/limit", "predicted", "worst",
             "predicted worst", "worst case", "notes"}};
  for (std::size_t i = 0; i < comparison.mechanisms.size(); ++i) {
    const Mechanism& mechanism = comparison.mechanisms[i];
    const Score& score = comparison.scores[i];
    std::vector<std::string> row{mechanism.name, std::to_string(score.answered)};
    if (score.answered == 0) {
      row.insert(row.end(), {"", "", "", "", "", "", "", "", ""});
    } else {
      row.push_back(exact || shows_bias(score, comparison.plan.runs) ? text_of(score.bias, exact) : "not shown");
      for (const double value : {score.rmse, score.worst_error}) row.push_back(text_of(value, exact));
      row.push_back(std::to_string(mechanism.payload_bytes));
      for (const double value : {score.limits_mean, score.predicted_mean, score.limits_worst, score.predicted_worst}) {
        row.push_back(std::isnan(value) ? "" : text_of(value, exact));
      }
      row.push_back(text_of(ratio_of(comparison, i), exact));
    }
    const Mechanism* same = same_as(comparison, i);
    row.push_back(same == nullptr ? note(mechanism, score) : "the same worst case as " + same->name);
    rows.push_back(std::move(row));
  }
  return rows;
}

Rows errors_by_query(const Setting& setting, const Comparison& comparison) {
  Rows rows{{"RMSE"}};
  const std::vector<Question> questions = questions_of(setting);
  for (const Question& question : questions) rows.front().push_back(question.text);
  for (std::size_t m = 0; m < comparison.mechanisms.size(); ++m) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(comparison.mechanisms[m].name);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const QueryScore& score = comparison.scores[m].queries[i];
      row.push_back(score.answered ? text_of(std::sqrt(score.mean_square), false)
                                   : reason(comparison.mechanisms[m], i));
    }
  }
  return rows;
}

Json to_json(const Setting& setting, const Comparison& comparison) {
  const std::vector<Question> questions = questions_of(setting);
  Json document{{"population", comparison.population},
                {"epsilon", setting.epsilon.to_string()},
                {"users", comparison.plan.users},
                {"runs", comparison.plan.runs},
                {"seed", comparison.seed},
                {"mechanisms", Json::array()}};
  for (std::size_t m = 0; m < comparison.mechanisms.size(); ++m) {
    const Mechanism& mechanism = comparison.mechanisms[m];
    const Score& score = comparison.scores[m];
    Json entry{{"name", mechanism.name}, {"answered", score.answered}};
    if (score.answered > 0) {
      entry.update({{"bias", score.bias},
                    {"bias_shown", shows_bias(score, comparison.plan.runs)},
                    {"rmse", score.rmse},
                    {"worst_error", score.worst_error},
                    {"payload_bytes", mechanism.payload_bytes},
                    {"users_over_limit", score.limits_mean},
                    {"users_over_limit_worst", score.limits_worst}});
      if (mechanism.predict) {
        entry.update({{"users_over_limit_predicted", score.predicted_mean},
                      {"users_over_limit_worst_predicted", score.predicted_worst}});
      }
    }
    if (const LimitRatio ratio = ratio_of(comparison, m); !std::isnan(ratio.value)) {
      entry.update({{"limit_ratio", ratio.value}, {"limit_ratio_at_most", ratio.at_most}});
      if (const Mechanism* same = same_as(comparison, m)) entry["same_worst_case_as"] = same->name;
    }
    for (std::size_t i = 0; i < questions.size(); ++i) {
      Json line{{"query", questions[i].text}};
      if (score.queries[i].answered) {
        line.update({{"bias", score.queries[i].bias}, {"rmse", std::sqrt(score.queries[i].mean_square)}});
        if (mechanism.predict) line["rmse_predicted"] = std::sqrt(score.queries[i].predicted);
      } else {
        line["error"] = reason(mechanism, i);
      }
      entry["queries"].push_back(std::move(line));
    }
    document["mechanisms"].push_back(std::move(entry));
  }
  return document;
}

std::vector<LimitRatio> limit_ratios_of(const std::vector<Mechanism>& mechanisms) {
  std::vector<LimitRatio> ratios;
  for (const Mechanism& mechanism : mechanisms) {
    const bool known = mechanism.limit_ratio && mechanism.answered() == mechanism.refusals.size();
    ratios.push_back(known ? mechanism.limit_ratio() : LimitRatio{});
  }
  return ratios;
}

charts::LineChart error_chart(const Sizes& sizes, const std::string& subtitle) {
  charts::LineChart chart{
      "Error of private answers by number of " + sizes.title, subtitle, sizes.title, "root mean square error", {}};
  for (const Mechanism& mechanism : sizes.each.back().mechanisms) {
    charts::Series series{mechanism.name, charts::LineStyle::kSolid, {}};
    if (mechanism.origin == Origin::kLiterature) series.style = charts::LineStyle::kDashed;
    if (mechanism.origin == Origin::kLimit) series.style = charts::LineStyle::kDotted;
    for (std::size_t i = 0; i < sizes.each.size(); ++i) {
      const std::vector<Mechanism>& all = sizes.each[i].mechanisms;
      const auto same =
          std::find_if(all.begin(), all.end(), [&](const Mechanism& other) { return other.name == mechanism.name; });
      if (same == all.end()) continue;
      const Score& score = sizes.each[i].scores[static_cast<std::size_t>(same - all.begin())];
      // Sizes are comparable only if the mechanism answers the same queries at each size.
      if (score.answered > 0 && score.answered == same->answered()) {
        series.points.push_back({sizes.numbers[i], score.rmse});
      }
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace hearsay::examples
