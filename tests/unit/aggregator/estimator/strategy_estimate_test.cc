#include "aggregator/estimator/strategy_estimate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "common/report/randomize.h"
#include "tests/support/bit_sources.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay::estimator {
namespace {

using tests::response_matrix;
using tests::strategy_task;

compiler::LinearQuery compiled(const Task& task, const std::string& text) {
  compiler::Work work;
  const Query query = Query::parse(task.schema(), text).value();
  return compiler::compile(task, query, work)->linear;
}

TEST_CASE("a record becomes a report on the device, and many reports become an estimate") {
  const Task task = strategy_task("b", response_matrix(2));
  tests::CounterBitSource bits("strategy estimate");
  tally::Tally tally = tally::Tally::empty(task.channel());
  constexpr int kReports = 20'000;
  for (int i = 0; i < kReports; ++i) {
    const Record record = Record::create(task.schema(), {i % 4 == 0 ? 1U : 0U}).value();
    const Report report = randomize(task, record, 0, bits).value();
    REQUIRE(report.payload.size() == 1);
    REQUIRE(tally.add(task.channel(), report.payload));
  }
  const Estimator estimator = Estimator::create(task, tally).value();
  const Estimate estimate = estimator.estimate(compiled(task, task.schema()[0].name()), 0.95).value();
  // For randomized response n·Var = c²/4 - 1/4 among the reporters, with c = (e+1)/(e-1). The limit of 5.4 standard
  // deviations has a false alarm of 7e-8. The bits are fixed.
  const double c = (std::exp(1.0) + 1) / (std::exp(1.0) - 1);
  const double expected = std::sqrt((c * c - 1) / 4 / kReports);
  CHECK(std::abs(estimate.value - 0.25) < 5.4 * expected);
  CHECK(estimate.standard_error == doctest::Approx(expected).epsilon(0.05));
  CHECK(estimate.guarantee == compiler::Guarantee::kWorstCase);
  CHECK(estimate.guaranteed.low < estimate.normal.low);
  CHECK(estimate.guaranteed.high > estimate.normal.high);
  CHECK(estimate.influence == doctest::Approx(c / kReports).epsilon(1e-6));
  CHECK(estimate.warnings.empty());
}

// The count of each output is its exact expectation.
TEST_CASE("values are exact if the counts are their expectations, for cells, queries and coordinates") {
  constexpr std::uint32_t kUnit = 1U << 28U;
  const StrategySpec matrix{4,
                            {4 * kUnit, 5 * kUnit, 3 * kUnit, 4 * kUnit,  //
                             6 * kUnit, 3 * kUnit, 3 * kUnit, 4 * kUnit,  //
                             3 * kUnit, 3 * kUnit, 6 * kUnit, 4 * kUnit,  //
                             3 * kUnit, 3 * kUnit, 3 * kUnit, 7 * kUnit}};
  const Task task = strategy_task("b b", matrix);
  const std::vector<std::uint64_t> people{10, 20, 30, 40};
  const auto& channel = std::get<StrategyChannel>(task.channel().kind());
  tally::SampledTally counts;
  for (std::uint32_t k = 0; k < 4; ++k) {
    std::uint64_t expected = 0;
    for (std::size_t x = 0; x < 4; ++x) expected += people[x] * (channel.entry(x, k) / kUnit);
    for (std::uint64_t i = 0; i < expected; ++i) counts.add(k, 0);
  }
  const Estimator estimator = Estimator::create(task, tally::Tally(counts)).value();
  const std::vector<std::uint32_t> attributes{0, 1};
  const ContingencyTable table = estimator.table(attributes, 0.95).value();
  for (std::size_t cell = 0; cell < 4; ++cell) {
    CHECK(table.values[cell] == doctest::Approx(static_cast<double>(people[cell]) / 100).epsilon(1e-9));
  }
  const std::string a = task.schema()[0].name();
  const std::string b = task.schema()[1].name();
  const Estimate both = estimator.estimate(compiled(task, a + " and " + b), 0.95).value();
  CHECK(both.value == doctest::Approx(0.4).epsilon(1e-9));
  CHECK(both.standard_error == doctest::Approx(table.standard_errors[3]).epsilon(1e-9));
  const Estimate differ =
      estimator.estimate(compiled(task, "(" + a + " and not " + b + ") or (" + b + " and not " + a + ")"), 0.95)
          .value();
  CHECK(differ.value == doctest::Approx(0.5).epsilon(1e-9));
  const CoordinateMeans means = estimator.means(attributes).value();
  REQUIRE(means.means.size() == 1);
  CHECK(means.means[0] == doctest::Approx(0.0).epsilon(1e-9));
}

// The reports are about 6 values in 3 cells, and the counts are the expected counts.
TEST_CASE("a strategy over cells of values answers queries and tables of cells") {
  TaskSpec spec = tests::strategy_spec("r6", response_matrix(3));
  spec.cuts = {{0, {2, 4}, {}}};
  const Task task = Task::create(spec).value();
  const auto& channel = std::get<StrategyChannel>(task.channel().kind());
  const std::vector<std::uint64_t> people{5, 3, 2};
  tally::SampledTally counts;
  for (std::uint32_t k = 0; k < 3; ++k) {
    double expected = 0;
    for (std::size_t x = 0; x < 3; ++x) {
      expected += static_cast<double>(people[x]) * std::ldexp(channel.entry(x, k), -32) * 1e4;
    }
    for (int i = 0; i < static_cast<int>(std::lround(expected)); ++i) counts.add(k, 0);
  }
  const Estimator estimator = Estimator::create(task, tally::Tally(counts)).value();
  const std::string name = task.schema()[0].name();
  // The cells are {-2, -1}, {0, 1} and {2, 3}.
  CHECK(estimator.estimate(compiled(task, name + " >= 0"), 0.95)->value == doctest::Approx(0.5).epsilon(1e-3));
  CHECK(estimator.estimate(compiled(task, name + " <= 1"), 0.95)->value == doctest::Approx(0.8).epsilon(1e-3));
  const std::vector<std::uint32_t> attributes{0};
  const ContingencyTable table = estimator.table(attributes, 0.95).value();
  REQUIRE(table.values.size() == 3);
  CHECK(table.values[0] == doctest::Approx(0.5).epsilon(1e-3));
  CHECK(table.values[2] == doctest::Approx(0.2).epsilon(1e-3));
  const CoordinateMeans means = estimator.means(attributes).value();
  CHECK(means.means.size() == 3);  // the parities of the two bits of a cell
}

TEST_CASE("the error about a query on which the outputs do not depend gives this as the reason") {
  // Both outputs depend only on the first attribute.
  constexpr std::uint32_t kHalf = 1U << 31U;
  constexpr std::uint32_t kMore = kHalf + kHalf / 4;
  const StrategySpec matrix{2, {kMore, kHalf / 4 * 3, kMore, kHalf / 4 * 3, kHalf, kHalf, kHalf, kHalf}};
  const Task task = strategy_task("b b", matrix);
  compiler::Work work;
  const auto ask = [&](const std::string& text) {
    return compiler::compile(task, Query::parse(task.schema(), text).value(), work);
  };
  CHECK(ask(task.schema()[0].name()));
  const auto other = ask(task.schema()[1].name());
  REQUIRE_FALSE(other);
  CHECK(other.error().code == ErrorCode::kQueryNotCovered);
  CHECK(other.error().message == compiler::kNotInRowSpace);
}

// With shifts, all cells of a table come from one set of scores. In the written-out matrix each cell has its own set.
TEST_CASE("a strategy with shifts gives the tables, means and estimates of its written-out matrix") {
  const Task task = strategy_task("r4 b r3", tests::shift_rows(2, 24, 11));
  const StrategyChannel& channel = tests::strategy_of(task);
  const Task listed = strategy_task("r4 b r3", tests::written_out(channel));
  // The canonical form of a written-out matrix sorts its outputs. No two outputs have the same column.
  const StrategyChannel& sorted = tests::strategy_of(listed);
  const auto column = [](const StrategyChannel& of, std::uint32_t k) {
    std::vector<std::uint32_t> entries;
    for (std::size_t x = 0; x < of.records(); ++x) entries.push_back(of.entry(x, k));
    return entries;
  };
  std::map<std::vector<std::uint32_t>, std::uint32_t> place;
  for (std::uint32_t k = 0; k < sorted.outputs(); ++k) place[column(sorted, k)] = k;
  REQUIRE(place.size() == sorted.outputs());
  tally::SampledTally counts;
  tally::SampledTally same;
  for (std::uint32_t k = 0; k < channel.outputs(); ++k) {
    for (std::uint32_t i = 0; i < 3 + k * k % 7; ++i) {
      counts.add(k, 0);
      same.add(place.at(column(channel, k)), 0);
    }
  }
  const Estimator shifts = Estimator::create(task, tally::Tally(counts)).value();
  const Estimator other = Estimator::create(listed, tally::Tally(same)).value();
  for (const std::vector<std::uint32_t>& attributes :
       {std::vector<std::uint32_t>{0, 1, 2}, std::vector<std::uint32_t>{0, 2}, std::vector<std::uint32_t>{1}}) {
    const ContingencyTable table = shifts.table(attributes, 0.95).value();
    const ContingencyTable of_listed = other.table(attributes, 0.95).value();
    REQUIRE(table.values.size() == of_listed.values.size());
    for (std::size_t cell = 0; cell < table.values.size(); ++cell) {
      CHECK(table.values[cell] == doctest::Approx(of_listed.values[cell]).epsilon(1e-9));
      CHECK(table.standard_errors[cell] == doctest::Approx(of_listed.standard_errors[cell]).epsilon(1e-9));
    }
    const CoordinateMeans means = shifts.means(attributes).value();
    const CoordinateMeans of_other = other.means(attributes).value();
    REQUIRE(means.means.size() == of_other.means.size());
    for (std::size_t j = 0; j < means.means.size(); ++j) {
      CHECK(means.means[j] == doctest::Approx(of_other.means[j]).epsilon(1e-9));
      CHECK(means.variances[j] == doctest::Approx(of_other.variances[j]).epsilon(1e-9));
    }
  }
  const Estimate estimate = shifts.estimate(compiled(task, "a0 <= 0 and a1"), 0.95).value();
  const Estimate of_listed = other.estimate(compiled(listed, "a0 <= 0 and a1"), 0.95).value();
  CHECK(estimate.value == doctest::Approx(of_listed.value).epsilon(1e-6));
  CHECK(estimate.standard_error == doctest::Approx(of_listed.standard_error).epsilon(1e-6));
  CHECK(estimate.guaranteed.high == doctest::Approx(of_listed.guaranteed.high).epsilon(1e-6));
}

// There are so many outputs that not all coordinates' scores are in memory at once.
TEST_CASE("with shifts the means of many coordinates agree with the cells of the table") {
  const Task task = strategy_task("r256", tests::shift_rows(128, 256, 12));
  tally::SampledTally counts;
  for (std::uint32_t i = 0; i < 5000; ++i) counts.add(i * 40'503 % (1U << 15U), 0);
  const Estimator estimator = Estimator::create(task, tally::Tally(counts)).value();
  const std::vector<std::uint32_t> attributes{0};
  const ContingencyTable table = estimator.table(attributes, 0.95).value();
  const CoordinateMeans means = estimator.means(attributes).value();
  REQUIRE(means.means.size() == 255);
  std::vector<double> expected(255, 0);
  std::vector<std::int8_t> signs(255);
  for (std::uint32_t value = 0; value < 256; ++value) {
    task.arrangement().encode(Record::create(task.schema(), {value}).value(), signs);
    for (std::size_t j = 0; j < 255; ++j) expected[j] += table.values[value] * signs[j];
  }
  double sum = 0;
  double largest = 0;
  double farthest = 0;
  for (const double value : table.values) sum += value;
  for (std::size_t j = 0; j < 255; ++j) {
    largest = std::max(largest, std::abs(expected[j]));
    farthest = std::max(farthest, std::abs(means.means[j] - expected[j]));
  }
  CHECK(sum == doctest::Approx(1).epsilon(1e-9));
  CHECK(largest > 0.1);
  CHECK(farthest < 1e-9 * largest);
}

// Rows of half-circles with odd multipliers have no even frequency except 0.
TEST_CASE("a query on which no row with shifts depends is refused with kQueryNotCovered") {
  const Task task = strategy_task("r16", tests::half_circle_rows(16, {1, 3}));
  compiler::Work work;
  CHECK(compiler::compile(task, Query::parse(task.schema(), "a0 <= 5").value(), work));
  const auto refused = compiler::compile(task, Query::parse(task.schema(), "a0 <= 4").value(), work);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kQueryNotCovered);
}

}  // namespace
}  // namespace hearsay::estimator
