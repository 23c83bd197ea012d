// Checks estimates from few reports on many coordinates. There are 1,500 reports on two attributes. Each attribute has
// 7 coordinates, and the pair has 49. With so few reports the estimator must divide by the number of reports on a set
// of attributes, and not by the number on one coordinate.
//
// The thresholds are those of sampled_coverage.h. If all people are alike and ε is large, the error comes from a
// handful of wrong answers. In this case normal intervals cover too rarely, so only the bias and the guaranteed
// interval are checked.
#include "aggregator/tally/tally.h"
#include "tests/statistical/sampled_coverage.h"

namespace hearsay::tests {
namespace {

constexpr std::uint64_t kReports = 1500;
const std::vector<std::string> kQueries = {"a0 = v1 and a1 = v1", "a0 in {v0, v2} and a1 in {v1, v3}"};

Task task_with(const std::string& epsilon, GroupKind kind) {
  return task_over("c5 c5", epsilon, CharactersSpec{2}, groups_of({{GroupKind::kSingle, 1, 1}, {kind, 2, 3}}));
}

std::vector<Population> people_of(const Schema& schema) {
  const auto cell = [&](std::uint32_t a0, std::uint32_t a1) {
    return Record::create(schema, std::vector<std::uint32_t>{a0, a1}).value();
  };
  return {{"constant", {cell(1, 1)}, {1}},
          {"one-sided", {cell(1, 1), cell(0, 3)}, {99, 1}},
          {"correlated", {cell(0, 0), cell(1, 1), cell(2, 3), cell(4, 4)}, {1, 1, 1, 1}}};
}

void check_all(const Task& task, std::size_t population_number) {
  const Population population = people_of(task.schema())[population_number];
  const std::vector<Score> scores = simulate(task, population, kReports, kQueries);
  for (std::size_t q = 0; q < scores.size(); ++q) {
    check_score(scores[q], population.name + ", ε = " + task.epsilon().to_string() + ", " + kQueries[q]);
  }
}

TEST_CASE("estimates are right for few reports from singles") {
  for (const std::size_t population : {0U, 1U, 2U}) check_all(task_with("1", GroupKind::kSingle), population);
  check_all(task_with("8", GroupKind::kSingle), 2);
}

TEST_CASE("estimates are right for few reports from groups") {
  check_all(task_with("1", GroupKind::kRaw), 1);
  check_all(task_with("8", GroupKind::kRaw), 2);
}

TEST_CASE("few wrong answers among few reports give no bias, and the guaranteed interval covers") {
  for (const GroupKind kind : {GroupKind::kSingle, GroupKind::kRaw}) {
    const Task task = task_with("8", kind);
    for (const Score& score : simulate(task, people_of(task.schema())[0], kReports, kQueries, 5000)) {
      CHECK(unbiased(score));
      CHECK(score.guaranteed_coverage() >= 0.95);
    }
  }
}

// Planted: the estimator divides each coordinate by the number of its own reports. A coordinate without reports counts
// as 0.
double own_normalisation(const Task& task, const compiler::LinearQuery& query, const tally::Tally& tally) {
  const SampledChannel& channel = sampled_of(task);
  std::vector<double> sums(channel.dimension(), 0);
  std::vector<double> counts(channel.dimension(), 0);
  // The groups are singles, so each group is a coordinate.
  for (const auto& entry : std::get<tally::SampledTally>(tally.kind()).entries()) {
    const auto count = static_cast<double>(entry.count);
    sums[entry.group] += entry.answer == 0 ? count : -count;
    counts[entry.group] += count;
  }
  double value = query.offset;
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    const std::uint32_t j = weight.coordinate;
    if (counts[j] > 0) value += weight.value * sums[j] / counts[j] / channel.gamma(channel.class_of(j));
  }
  return value;
}

TEST_CASE("an estimator that divides each coordinate by its own reports has a visible bias") {
  const Task task = task_with("4", GroupKind::kSingle);
  const Population population = people_of(task.schema())[0];
  const std::vector<std::uint64_t> people = population.people(200);
  const compiler::LinearQuery query = compile_query(task, Query::parse(task.schema(), kQueries[0]).value());
  TallySimulator simulator(task, population.cells);
  FastRandom random("own normalisation");
  Score planted(1);
  Score right(1);
  for (std::size_t run = 0; run < 2000; ++run) {
    const tally::Tally tally = simulator.draw(people, random);
    estimator::Estimate answer = estimator::estimate(task, query, tally, 0.95).value();
    right.add(answer);
    answer.value = own_normalisation(task, query, tally);
    planted.add(answer);
  }
  CHECK(unbiased(right));
  CHECK_FALSE(unbiased(planted));
}

}  // namespace
}  // namespace hearsay::tests
