// The runs are deterministic, except for the calibration of the paper's mechanism.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/central/intervals/box_release.h"
#include "aggregator/central/laplace/laplace_mechanism.h"
#include "common/base/strict_json.h"
#include "examples/models/model_report.h"
#include "tests/support/bit_sources.h"
#include "tests/unit/examples/setting.h"

namespace hearsay::examples {
namespace {

ModelComparison run(const Setting& setting, const Population& people, const std::vector<Model>& models, Plan plan) {
  tests::CounterBitSource bits("models");
  PopulationGenerator made_up(7);
  return compare_models(setting, "people", people, models, plan, 7, Randomness{bits, made_up}).value();
}

std::size_t position(const ModelComparison& comparison, std::string_view name) {
  for (std::size_t m = 0; m < comparison.models.size(); ++m) {
    if (comparison.models[m].mechanism.name.starts_with(name)) return m;
  }
  FAIL("no such model: " << name);
  return 0;
}

double rmse(const ModelComparison& comparison, std::string_view name) {
  return comparison.scores[position(comparison, name)].rmse;
}

const std::vector<std::string> kQueries{"admitted", "woman and admitted", "not woman and admitted",
                                        "department = A and woman", "department in {A, B} and admitted"};

Population slope() {
  Population people{
      Schema::create({Attribute::range("x", 0, 63).value(), Attribute::range("y", 0, 31).value()}).value(), {}};
  for (std::uint32_t x = 0; x < 64; ++x) people.records.push_back(Record::create(people.schema, {x, x / 2}).value());
  return people;
}

TEST_CASE("for Berkeley every model has its row, and the curator's noise is smaller than the noise of reports") {
  const Population people = berkeley_admissions().value();
  const Setting setting = setting_for(people.schema, kQueries);
  const ModelComparison comparison = run(setting, people, all_models(setting), {.users = 5000, .runs = 8});
  REQUIRE(comparison.models.size() == 10);
  const Rows rows = model_table(setting, comparison, false);
  REQUIRE(rows.size() == 11);
  for (std::size_t m = 0; m < 10; ++m) {
    const std::vector<std::string>& row = rows[m + 1];
    CAPTURE(row[0]);
    REQUIRE(row.size() == rows[0].size());
    const bool local = comparison.models[m].trust == Trust::kLocal;
    CHECK(row[1] == (local ? "pure, epsilon 1, local" : "pure, epsilon 1, central"));
    CHECK(row[2] == "replace-one");
    const bool ranges = row[0] == "interval release" || row[0] == "box release";
    CHECK(comparison.scores[m].answered == (ranges ? 0 : 5));
    CHECK(row.back() == (ranges ? "the queries are not all intervals or boxes of ranges" : ""));
    if (ranges) continue;
    CHECK(comparison.watches[m].releases == 8);
    CHECK(comparison.watches[m].seconds > 0);
    CHECK(comparison.scores[m].worst_error >= comparison.scores[m].rmse / 3);  // the worst error is at least RMSE/√8
  }
  // The error from reports is at least (e+1)/(e-1)/2/√5000 = 0.0153 for each query. The errors of these central
  // mechanisms are at most 0.002.
  for (const char* local : {"paper's Laplace", "planned groups"}) {
    for (const char* central : {"Laplace counts", "noisy histogram", "cell release"}) {
      CHECK(3 * rmse(comparison, central) < rmse(comparison, local));
    }
  }
  const Json json = models_to_json(setting, comparison);
  CHECK(json.at("mechanisms").size() == 10);
  CHECK(json.at("mechanisms").at(9).contains("not_answered"));
  CHECK(json.at("mechanisms").at(2).at("rmse") == rmse(comparison, "Laplace counts"));
}

TEST_CASE("epsilon is divided among all answers, and the errors are those of the noise") {
  const Population people = berkeley_admissions().value();
  const Setting setting = setting_for(people.schema, kQueries);
  constexpr double kUsers = 200;
  const ModelComparison comparison = run(setting, people, counting_models(setting), {.users = 200, .runs = 400});
  const auto deviation = [](double scale) {
    const double q = std::exp(-1 / scale);
    return std::sqrt(2 * q) / (1 - q);
  };
  // With 400 runs and a kurtosis of at most 6, the mean square has a relative standard deviation of at most √(5/400) =
  // 11 %. So its root has a relative standard deviation of at most 6 %. For several queries it is smaller.
  CHECK(rmse(comparison, "Laplace counts") * kUsers == doctest::Approx(deviation(5)).epsilon(0.12));
  // The queries have 12, 6, 6, 2 and 4 of the 24 bins or cells. Each bin or cell has noise of scale 2.
  for (const char* name : {"noisy histogram", "cell release"}) {
    CHECK(rmse(comparison, name) * kUsers == doctest::Approx(deviation(2) * std::sqrt(6.0)).epsilon(0.12));
  }
  for (const Score& score : comparison.scores) CHECK(score.bias * kUsers < 2);
}

TEST_CASE("the errors of synthetic databases and of the median are within their bounds") {
  const Population people = berkeley_admissions().value();
  const Setting setting = setting_for(people.schema, {"admitted"});
  constexpr double kUsers = 5000;
  const ModelComparison comparison = run(setting, people, synthetic_models(setting), {.users = 5000, .runs = 20});
  // There are two kinds of people and 1,024 rows. The nearest database is within n/2048. The drawn database is worse
  // by more than 2(ln 1025 + ln 10^9) records with probability 10^-9.
  const double bound = kUsers / 2048 + 2 * (std::log(1025) + std::log(1e9));
  CHECK(comparison.scores[0].worst_error * kUsers < bound);
  CHECK(comparison.scores[1].worst_error * kUsers < bound);
  // The error of the median is at most n/2048 plus twice the bounds of its noises. The noises of threshold and answer
  // have scale 7/2, that of the gap 14/3. Each noise exceeds its bound with probability 10^-9.
  CHECK(comparison.scores[2].worst_error * kUsers < kUsers / 2048 + 2 * (3.5 + 3.5 + 14.0 / 3) * std::log(2e9));
  for (const Score& score : comparison.scores) CHECK(score.answered == 1);
}

TEST_CASE("queries on intervals go only to the interval release, and queries on boxes only to the box release") {
  const Population people = slope();
  const Setting one = setting_for(people.schema, {"x in 10..20", "x in {1, 3..5, 40..63}", "x >= 48", "not x < 7"});
  const ModelComparison intervals = run(one, people, range_models(one), {.users = 20'000, .runs = 10});
  const auto grid = central::Grid::create(0, 64, 6).value();
  // BoxRelease chooses the number of pieces with the least error bound, so this bound is at most the bound for 8
  // pieces. The error of a union of three intervals is at most three times the bound.
  const double bound = central::BoxRelease::create({grid}, one.epsilon, 8)->error_bound(20'000, 0.05).value();
  REQUIRE(bound < 0.3);
  CHECK(intervals.scores[0].answered == 4);
  for (const std::size_t q : {0, 2, 3}) CHECK(std::sqrt(intervals.scores[0].queries[q].mean_square) < bound);
  CHECK(intervals.scores[0].worst_error < 3 * bound);
  CHECK(intervals.scores[1].answered == 0);
  CHECK(model_table(one, intervals, false)[2].back() == "one range alone is for the interval release");

  // The true fractions are 0, 1/2 and 3/8. If the dimensions were swapped, the first would be 3/4.
  const Setting two = setting_for(people.schema, {"x < 32 and y >= 16", "y < 16", "x in 8..31"});
  const ModelComparison boxes = run(two, people, range_models(two), {.users = 20'000, .runs = 10});
  CHECK(boxes.scores[0].answered == 0);
  CHECK(boxes.scores[1].answered == 3);
  CHECK(boxes.scores[1].worst_error < 0.25);
}

TEST_CASE("the row of a mechanism that cannot be enumerated or planned says why") {
  std::vector<Attribute> attributes;
  for (int i = 0; i < 25; ++i) attributes.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  const Schema schema = Schema::create(std::move(attributes)).value();
  const Population people{schema, {Record::create(schema, std::vector<std::uint32_t>(25, 1)).value()}};
  std::string all = "b0";
  for (int i = 1; i < 25; ++i) all += " or b" + std::to_string(i);
  const Setting setting = setting_for(schema, {all});
  const ModelComparison comparison = run(setting, people, all_models(setting), {.users = 10, .runs = 2});
  for (const char* name : {"noisy histogram", "cell release", "general", "linear", "online", "interval", "box"}) {
    const std::size_t m = position(comparison, name);
    CHECK(comparison.scores[m].answered == 0);
    CHECK_FALSE(model_table(setting, comparison, false)[m + 1].back().empty());
  }
  CHECK(comparison.scores[position(comparison, "Laplace counts")].answered == 1);
}

TEST_CASE("the row of a failed release says so, and the chart shows only positive errors") {
  const Population people = slope();
  const Setting setting = setting_for(people.schema, {"x < 3", "y = 2"});
  Model broken = central_model("broken", 2);
  broken.mechanism.run = [](const Crowd&, const Randomness&) -> Result<std::vector<double>> {
    return Error{ErrorCode::kOverflow, "beyond its integers"};
  };
  Model exact = central_model("exact", 2);
  exact.mechanism.run = [](const Crowd& crowd, const Randomness&) -> Result<std::vector<double>> {
    std::vector<double> answers;
    for (const std::uint64_t count : crowd.satisfying) {
      answers.push_back(static_cast<double>(count) / static_cast<double>(crowd.people.size()));
    }
    return answers;
  };
  Model shifted = exact;
  shifted.mechanism.name = "shifted";
  shifted.mechanism.run = [inner = exact.mechanism.run](const Crowd& crowd, const Randomness& random) {
    auto answers = inner(crowd, random);
    for (double& answer : *answers) answer += 0.25;
    return answers;
  };
  const ModelComparison comparison = run(setting, people, {broken, exact, shifted}, {.users = 50, .runs = 3});
  const Rows rows = model_table(setting, comparison, true);
  CHECK(rows[1].back() == "beyond its integers");
  CHECK(rows[2].back().empty());
  CHECK(comparison.scores[1].rmse == 0);
  CHECK(comparison.scores[2].rmse == doctest::Approx(0.25));
  const charts::LineChart chart = model_chart(setting, {comparison});
  REQUIRE(chart.series.size() == 3);
  CHECK(chart.series[0].points.empty());
  CHECK(chart.series[1].points.empty());
  REQUIRE(chart.series[2].points.size() == 1);
  CHECK(chart.series[2].points[0].x == 50);
}

}  // namespace
}  // namespace hearsay::examples
