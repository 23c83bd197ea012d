// Checks estimates from half-circles, arcs and parities of several bits: bias, standard error and coverage of both
// intervals. The people are alike, nearly alike, or of two or four kinds. The fractions go from 0 to 1.
//
// The thresholds are those of sampled_coverage.h. This program has 16 cells.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/statistical/sampled_coverage.h"
#include "tests/support/question_cases.h"

namespace hearsay::tests {
namespace {

using enum GroupKind;

struct AskedQuery {
  std::string name;
  Functions functions;
};

std::vector<Score> scores_of(const Task& task, const Population& population, std::uint64_t n,
                             const std::vector<AskedQuery>& asked) {
  const std::vector<std::uint64_t> people = population.people(n);
  std::vector<compiler::LinearQuery> queries;
  std::vector<Score> scores;
  for (const AskedQuery& query : asked) {
    queries.push_back(product_query(task, query.functions));
    double ones = 0;
    for (std::size_t c = 0; c < people.size(); ++c) {
      ones += static_cast<double>(people[c]) * product_at(query.functions, population.cells[c]);
    }
    scores.emplace_back(ones / static_cast<double>(n));
  }
  TallySimulator simulator(task, population.cells);
  FastRandom random(task.spec().title + population.name);
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto estimator = estimator::Estimator::create(task, simulator.draw(people, random)).value();
    for (std::size_t q = 0; q < queries.size(); ++q) scores[q].add(estimator.estimate(queries[q], 0.95).value());
  }
  return scores;
}

Record record_of(const Task& task, std::vector<std::uint32_t> values) {
  return Record::create(task.schema(), std::move(values)).value();
}

void check_task(const Task& task, const std::vector<std::string>& names) {
  constexpr std::uint64_t kReports = 20'000;
  const std::uint32_t first = task.schema()[0].size();
  const std::uint32_t second = task.schema()[1].size();
  const Record inside = record_of(task, {1, 0});
  const Record outside = record_of(task, {0, second - 1});
  const std::vector<Population> populations{
      {"constant", {inside}, {1}},
      {"one-sided", {outside, inside}, {999, 1}},
      {"bimodal", {outside, inside}, {1, 1}},
      {"skewed", {inside, record_of(task, {0, 0}), record_of(task, {first - 1, 1}), outside}, {1, 2, 4, 8}},
  };
  const std::vector<AskedQuery> asked{{"box", {between(1, first - 1, first), between(0, 2, second)}},
                                      {"range", {{}, between(1, 2, second)}}};
  for (const Population& population : populations) {
    if (std::ranges::find(names, population.name) == names.end()) continue;
    const std::vector<Score> scores = scores_of(task, population, kReports, asked);
    for (std::size_t q = 0; q < scores.size(); ++q) {
      check_score(scores[q], task.spec().title + ", " + population.name + ", " + asked[q].name);
    }
  }
}

TEST_CASE("estimates are right for half-circles, about one attribute and about two together") {
  const CircleQuestions three{.places = 3, .bits = 1, .multipliers = {1}, .weights = {1}};
  const CircleQuestions four{.places = 4, .bits = 1, .multipliers = {1, 2}, .weights = {2, 1}};
  check_task(question_case("1", "r3 r4", {{kSingle, 1, 2}, {kSingle, 2, 3}}, {three, four}).task(),
             {"constant", "one-sided", "bimodal", "skewed"});
}

TEST_CASE("estimates are right for arcs and parities of several bits, answered together") {
  const CircleQuestions arcs{.places = 4, .bits = 2, .multipliers = {1, 2}, .weights = {3, 1}};
  check_task(question_case("3", "c3 r4", {{kRaw, 2, 3}, {kRaw, 1, 1, {1}}}, {ParityQuestions{2}, arcs}).task(),
             {"one-sided", "skewed"});
}

// The attribute has 4,200 values, and reports ask about thresholds. 400 runs give the variance with the relative
// standard error √(2/400) = 7.1 %. The allowed 44 % are 6.2 standard errors.
TEST_CASE("the estimated mean of many values is right") {
  constexpr std::uint32_t kValues = 4200;
  const CircleQuestions thresholds{.places = 2 * (kValues - 1), .bits = 1, .multipliers = {1}, .weights = {1}};
  const Task task = question_case("1", "r4200", {{kSingle, 1, 1}}, {thresholds}).task();
  std::vector<double> part_of_span;
  for (std::uint32_t x = 0; x < kValues; ++x) part_of_span.push_back(x / (kValues - 1.0));
  const compiler::LinearQuery mean = product_query(task, {part_of_span});
  const std::vector<Population> populations{
      {"constant", {record_of(task, {0})}, {1}},
      {"skewed", {record_of(task, {17}), record_of(task, {900}), record_of(task, {kValues - 1})}, {6, 3, 1}}};
  for (const Population& population : populations) {
    const std::vector<std::uint64_t> people = population.people(20'000);
    double sum = 0;
    for (std::size_t c = 0; c < people.size(); ++c) {
      sum += static_cast<double>(people[c]) * part_of_span[population.cells[c].values()[0]];
    }
    Score score(sum / 20'000);
    TallySimulator simulator(task, population.cells);
    FastRandom random("mean, " + population.name);
    for (std::size_t run = 0; run < 400; ++run) {
      const auto estimator = estimator::Estimator::create(task, simulator.draw(people, random)).value();
      score.add(estimator.estimate(mean, 0.95).value());
    }
    CHECK(unbiased(score));
    CHECK(std::abs(score.mean_stated_variance() / score.variance() - 1) < 0.44);
  }
}

// Each run has 40 reports of people who are all alike. The queries are the cells of a table. Coverage is not checked.
TEST_CASE("standard errors are right for few reports") {
  const CircleQuestions arcs{.places = 4, .bits = 2, .multipliers = {1, 2}, .weights = {3, 1}};
  const Task task = question_case("3", "c3 r4", {{kRaw, 2, 3}, {kRaw, 1, 1, {1}}}, {ParityQuestions{2}, arcs}).task();
  TallySimulator simulator(task, {record_of(task, {1, 0})});
  FastRandom random("few reports");
  std::vector<Score> scores{Score(1), Score(0)};
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::vector<std::uint64_t> people{40};
    const auto estimator = estimator::Estimator::create(task, simulator.draw(people, random)).value();
    const estimator::ContingencyTable table = estimator.table(std::vector<std::uint32_t>{1}, 0.95).value();
    for (std::size_t cell = 0; cell < scores.size(); ++cell) {
      estimator::Estimate answer{};
      answer.value = table.values[cell];
      answer.standard_error = table.standard_errors[cell];
      scores[cell].add(answer);
    }
  }
  for (const Score& score : scores) {
    CHECK(unbiased(score));
    CHECK(variance_as_stated(score));
  }
}

}  // namespace
}  // namespace hearsay::tests
