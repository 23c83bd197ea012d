// Tests `characters` with groups, on attributes of several bits. Plants errors of the estimator that the checks must
// find. The thresholds are those of sampled_coverage.h.
#include "tests/statistical/sampled_coverage.h"

namespace hearsay::tests {
namespace {

// Returns a task with all three kinds of groups. Several classes with different γ ask about every coordinate.
Task booleans_task(const std::string& epsilon) {
  return task_over(
      "b b b", epsilon, CharactersSpec{2},
      groups_of(
          {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 2}, {GroupKind::kRaw, 3, 2}, {GroupKind::kEven, 3, 1}}));
}

TEST_CASE("estimates are right if each coordinate of attributes with several bits is normalised by its own reports") {
  const Task task =
      task_over("b c3 b", "4", CharactersSpec{2}, groups_of({{GroupKind::kSingle, 2, 1}, {GroupKind::kRaw, 3, 2}}));
  for (const Population& population : populations(task.schema())) {
    if (population.cells.size() > 4) continue;
    const std::vector<std::string> texts = {"a1 = v1", "a0 and a1 in {v0, v1}", "a1 = v0 and not a2"};
    const std::vector<Score> scores = simulate(task, population, enough_reports("4", 8), texts);
    for (std::size_t q = 0; q < scores.size(); ++q) check_score(scores[q], population.name + ", " + texts[q]);
  }
}

// Returns the score of one query's estimates. `change` changes each estimate first.
template <class Change>
Score simulate_changed(const Task& task, const Population& population, std::uint64_t n, const std::string& text,
                       Change&& change) {
  const std::vector<std::uint64_t> people = population.people(n);
  const compiler::LinearQuery query = compile_query(task, Query::parse(task.schema(), text).value());
  Score score(true_fraction(task, text, population, people));
  TallySimulator simulator(task, population.cells);
  FastRandom random("planted " + population.name);
  for (std::size_t run = 0; run < kRuns; ++run) {
    estimator::Estimate answer = estimator::estimate(task, query, simulator.draw(people, random), 0.95).value();
    change(query, answer);
    const double half = 1.959963984540054 * answer.standard_error;
    answer.normal = {answer.value - half, answer.value + half};
    score.add(answer);
  }
  return score;
}

TEST_CASE("the checks find planted errors") {
  const Task task = booleans_task("4");
  const std::vector<Population> all = populations(task.schema());
  const std::uint64_t n = enough_reports("4", 6);
  // Planted: γ is 5 % too small, so the debiased means are 5 % too large.
  const Score wrong_gamma = simulate_changed(task, all[1], n, "a0 and a1",
                                             [](const compiler::LinearQuery& query, estimator::Estimate& answer) {
                                               answer.value = query.offset + (answer.value - query.offset) / 0.95;
                                             });
  CHECK_FALSE(unbiased(wrong_gamma));
  // Planted: no finite-population correction, as if the reporters were drawn from a larger population.
  const Score uncorrected =
      simulate_changed(task, all[4], n, "a0", [&](const compiler::LinearQuery&, estimator::Estimate& answer) {
        const double more = answer.value * (1 - answer.value) / static_cast<double>(n);
        answer.standard_error = std::sqrt(answer.standard_error * answer.standard_error + more);
      });
  CHECK(unbiased(uncorrected));
  CHECK_FALSE(variance_as_stated(uncorrected));
  CHECK_FALSE(covers(uncorrected));
}

}  // namespace
}  // namespace hearsay::tests
