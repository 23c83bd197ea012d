#include "aggregator/planner/mixed_circles.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "aggregator/compiler/question_law.h"
#include "aggregator/planner/candidates.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

double energy(const compiler::QuestionLaw& law, const std::vector<double>& g) { return law.solve(g).value().energy; }

double worst_of_all(const CircleQuestions& circle, std::uint32_t values, const MixedClasses& classes) {
  const compiler::QuestionLaw law(Questions::create(circle, values).value());
  double worst = 0;
  for (std::uint32_t first = 0; first < values; ++first) {
    for (std::uint32_t end = first + 1; end <= values; ++end) {
      if (end - first == values) continue;
      const bool is_prefix = first == 0 || end == values;
      const double weight = std::max(classes.ranges, is_prefix ? classes.prefixes : 0);
      std::vector<double> range(values, 0);
      std::fill(range.begin() + first, range.begin() + end, 1);
      if (weight > 0) worst = std::max(worst, weight * energy(law, range));
    }
  }
  std::vector<double> part_of_span;
  for (std::uint32_t x = 0; x < values; ++x) part_of_span.push_back(x / static_cast<double>(values - 1));
  return std::max(worst, classes.mean * energy(law, part_of_span));
}

TEST_CASE(
    "the largest variance agrees with a search through all functions, and is near a lower bound for all weights") {
  for (const std::uint32_t values : {3U, 4U, 13U, 20U}) {
    for (const MixedClasses& classes : {MixedClasses{0, 1, 0}, MixedClasses{1, 2, 0}, MixedClasses{1, 0, 4}}) {
      CAPTURE(values);
      const MixedCircle circle = plan_mixed_circle(values, classes);
      CHECK(circle.questions.places == 2 * values);
      CHECK(circle.worst <= 1.0081 * circle.lower_bound);
      CHECK(worst_of_all(circle.questions, values, classes) == doctest::Approx(circle.worst).epsilon(1e-4));
    }
  }
}

double ratio_of(const char* shape, const Workload& workload) {
  const TaskSpec base = tests::spec_over(shape, "1");
  return candidates(base, workload, {0.01, 0.05}).value().front().plan->limit_ratio;
}

// With only the best family, these workloads take 18.1, 10.05 and 20.1 times the one-query limit.
TEST_CASE("on 32 values questions of several families cost less than questions of the best family") {
  CHECK(ratio_of("r32", Mixture{{{Ranges{}, 1}, {Means{}, 4}}}) < 13.3);
  CHECK(ratio_of("r32", Prefixes{}) < 9.41);
  CHECK(ratio_of("r32", Mixture{{{Ranges{}, 1}, {Prefixes{}, 2}}}) < 18.8);
  // The limits of two equal attributes add up.
  CHECK(ratio_of("r32 r32", Mixture{{{Ranges{}, 1}, {Means{}, 4}}}) < 2 * 13.3);
}

TEST_CASE("a mean over any number of values costs as much as one question") {
  CHECK(ratio_of("r5000", Means{}) < 1.001);
  CHECK(ratio_of("r100001", Means{}) < 1.001);
  CHECK(ratio_of("r5000 r4098 b", Means{}) < 2.001);
}

}  // namespace
}  // namespace hearsay::planner
