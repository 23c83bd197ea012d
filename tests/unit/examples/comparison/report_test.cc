#include "examples/comparison/report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "common/base/strict_json.h"
#include "examples/comparison/synthetic.h"
#include "tests/support/bit_sources.h"
#include "tests/unit/examples/setting.h"

namespace hearsay::examples {
namespace {

// Returns a mechanism that answers the first query only. The error is alternately shift + noise and shift - noise.
Mechanism scripted(std::size_t queries, double shift, double noise) {
  Mechanism mechanism;
  mechanism.name = "scripted";
  mechanism.origin = Origin::kOurs;
  mechanism.payload_bytes = 3;
  mechanism.refusals.assign(queries, Error{ErrorCode::kQueryNotVisible, "cannot see it"});
  mechanism.refusals[0] = std::nullopt;
  mechanism.run = [=, sign = 1.0](const Crowd& crowd, const Randomness&) mutable -> Result<std::vector<double>> {
    std::vector<double> estimates(queries);
    estimates[0] =
        static_cast<double>(crowd.satisfying[0]) / static_cast<double>(crowd.people.size()) + shift + sign * noise;
    sign = -sign;
    return estimates;
  };
  return mechanism;
}

struct Bench {
  Population people = synthetic_population(3, 500, SyntheticKind::kSkewed, 1).value();
  tests::CounterBitSource bits{"comparison"};
  PopulationGenerator made_up{1};
  Randomness randomness{bits, made_up};
};

TEST_CASE("scores are computed from the errors of the runs") {
  Bench bench;
  const Setting setting = setting_for(bench.people.schema, {"a0", "a1"});
  const auto scores =
      compare(setting, bench.people, {scripted(2, 0.1, 0.2)}, {.users = 50, .runs = 4}, bench.randomness).value();
  REQUIRE(scores.size() == 1);
  CHECK(scores[0].answered == 1);
  CHECK_FALSE(scores[0].queries[1].answered);
  CHECK(scores[0].queries[0].bias == doctest::Approx(0.1));
  // The errors are 0.3, -0.1, 0.3 and -0.1.
  CHECK(scores[0].rmse == doctest::Approx(std::sqrt(0.05)));
  CHECK(scores[0].worst_error == doctest::Approx(0.2));
  CHECK(scores[0].bias ==
        doctest::Approx(0));  // chance can explain a mean of 0.1, since the variance of the mean is 0.0533/4
  const double c = (std::exp(1.0) + 1) / (std::exp(1.0) - 1);
  CHECK(scores[0].limits_mean == doctest::Approx(50 * 0.05 / (c * c / 4)));
  const auto steady =
      compare(setting, bench.people, {scripted(2, 0.1, 0)}, {.users = 50, .runs = 4}, bench.randomness).value();
  CHECK(steady[0].bias == doctest::Approx(0.1));
  CHECK(shows_bias(steady[0], 4));
  CHECK_FALSE(shows_bias(scores[0], 4));
  CHECK(compare(setting, bench.people, {}, {.users = 50, .runs = 1}, bench.randomness).error().code ==
        ErrorCode::kInvalidArgument);
}

TEST_CASE("a bias is printed only if chance does not explain it") {
  Bench bench;
  const Setting setting = setting_for(bench.people.schema, {"a0", "a1"});
  const Plan plan{.users = 50, .runs = 20};
  // The errors alternate by 0.2 about the bias. With 20 runs, chance explains a mean of up to 3.88·0.2/√19 = 0.18.
  Comparison comparison{"three booleans", 1, plan, {scripted(2, 0.17, 0.2), scripted(2, 0.19, 0.2)}, {}};
  comparison.scores = compare(setting, bench.people, comparison.mechanisms, plan, bench.randomness).value();
  const Rows rows = summary(comparison, false);
  REQUIRE(rows.front()[2] == "bias");
  CHECK(rows[1][2] == "not shown");
  CHECK(rows[2][2] == "0.184");
  CHECK(summary(comparison, true)[1][2] != "not shown");
  const Json mechanisms = to_json(setting, comparison).at("mechanisms");
  CHECK(mechanisms.at(0).at("bias_shown") == false);
  CHECK(mechanisms.at(1).at("bias_shown") == true);
}

TEST_CASE("the cell of a query that a mechanism cannot answer says so") {
  Bench bench;
  const Setting setting = setting_for(bench.people.schema, {"a0 or a1", "(a0 and not a1) or (a1 and not a0)"});
  Comparison comparison{"three booleans", 1, {.users = 400, .runs = 2}, own_mechanisms(setting).value(), {}};
  for (Mechanism& mechanism : literature_mechanisms(setting)) comparison.mechanisms.push_back(std::move(mechanism));
  comparison.scores = compare(setting, bench.people, comparison.mechanisms, comparison.plan, bench.randomness).value();

  comparison.limit_ratios = limit_ratios_of(comparison.mechanisms);

  const Rows rows = errors_by_query(setting, comparison);
  for (const std::vector<std::string>& row : rows) {
    CAPTURE(row[0]);
    if (row[0].ends_with("literals"))
      CHECK(row[2] == (row[0].starts_with("paper") ? "query_not_covered" : "query_not_visible"));
    if (row[0] == "planned groups" || row[0] == "OUE") CHECK(row[2].starts_with("0."));
  }
  CHECK(rows.size() == 1 + comparison.mechanisms.size());
  const Json json = to_json(setting, comparison);
  CHECK(json.at("mechanisms").size() == comparison.mechanisms.size());
  for (const Json& mechanism : json.at("mechanisms")) {
    const bool literals = mechanism.at("name").get<std::string>().ends_with("literals");
    CHECK(mechanism.at("queries").at(1).contains("error") == literals);
    if (mechanism.at("name") == "planned groups") CHECK(mechanism.at("limit_ratio").get<double>() > 1);
  }
  const Rows table = summary(comparison, false);
  for (const std::vector<std::string>& row : table) CHECK(row.size() == table[0].size());
}

TEST_CASE("only mechanisms on a domain of cells refuse a domain of more than 65,536 cells") {
  const auto people = synthetic_population(17, 10, SyntheticKind::kUniform, 1).value();
  const Setting setting = setting_for(people.schema, {"a0 and a1"});
  std::size_t refusing = 0;
  for (const Mechanism& mechanism : literature_mechanisms(setting)) {
    if (mechanism.answered() == 1) continue;
    ++refusing;
    CHECK(mechanism.refusals[0]->code == ErrorCode::kDomainTooLarge);
  }
  CHECK(refusing == 5);
  const auto smaller = synthetic_population(16, 10, SyntheticKind::kUniform, 1).value();
  for (const Mechanism& mechanism : literature_mechanisms(setting_for(smaller.schema, {"a0 and a1"}))) {
    CHECK(mechanism.answered() ==
          (mechanism.name == "subset selection" ? 0 : 1));  // subset selection draws sets of thousands of cells here
  }
}

}  // namespace
}  // namespace hearsay::examples
