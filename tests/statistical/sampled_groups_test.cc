// Checks `characters` with groups of several coordinates: coverage, bias and stated variance on every population of
// sampled_coverage.h, at ε = 0.25, 1, 4 and 8. The thresholds are also there.
#include "tests/statistical/sampled_coverage.h"

namespace hearsay::tests {
namespace {

const std::vector<std::string> kQueries = {"a0", "a0 and a1", "not a1 or a2"};

// Returns a task with all three kinds of groups. Several classes with different γ ask about every coordinate.
Task booleans_task(const std::string& epsilon) {
  return task_over(
      "b b b", epsilon, CharactersSpec{2},
      groups_of(
          {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 2}, {GroupKind::kRaw, 3, 2}, {GroupKind::kEven, 3, 1}}));
}

TEST_CASE("estimates from groups are unbiased and their intervals cover") {
  for (const char* epsilon : {"0.25", "1", "4", "8"}) {
    const Task task = booleans_task(epsilon);
    for (const Population& population : populations(task.schema())) {
      // The task has 6 coordinates.
      const std::vector<Score> scores = simulate(task, population, enough_reports(epsilon, 6), kQueries);
      for (std::size_t q = 0; q < scores.size(); ++q) {
        check_score(scores[q], population.name + ", ε = " + epsilon + ", " + kQueries[q]);
      }
    }
  }
}

}  // namespace
}  // namespace hearsay::tests
