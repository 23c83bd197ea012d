#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "aggregator/planner/candidates.h"
#include "aggregator/planner/shift_optimiser.h"
#include "aggregator/planner/shift_orbits.h"
#include "aggregator/planner/strategy_design.h"
#include "aggregator/planner/strategy_matrix.h"
#include "aggregator/planner/strategy_outputs.h"
#include "aggregator/planner/strategy_plan.h"
#include "common/audit/audit.h"
#include "common/channel/channel.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay::planner {
namespace {

const Target kShiftTarget{0.05, 0.05};

TaskSpec shift_base(const std::string& shape, const std::string& epsilon = "1") {
  return tests::strategy_spec(shape, tests::response_matrix(2), epsilon);
}

ExplicitWorkload queries_of(const std::string& shape, const Workload& workload) {
  return explicit_workload(workload, shift_base(shape).schema).value();
}

std::vector<Query> points_of(const std::string& shape, std::uint32_t from, std::uint32_t to) {
  std::vector<Query> points;
  for (std::uint32_t v = from; v < to; ++v) {
    points.push_back(Query::parse(shift_base(shape).schema, "a0 = v" + std::to_string(v)).value());
  }
  return points;
}

TEST_CASE("shifts are added to records attribute by attribute") {
  const Shifts shifts({2, 3, 2});
  REQUIRE(shifts.records() == 12);
  for (std::size_t x = 0; x < 12; ++x) {
    for (std::size_t s = 0; s < 12; ++s) {
      const std::size_t first = (x / 6 + s / 6) % 2;
      const std::size_t second = (x / 2 % 3 + s / 2 % 3) % 3;
      const std::size_t third = (x + s) % 2;
      CHECK(shifts.sum(x, s) == first * 6 + second * 2 + third);
    }
  }
  const std::vector<int> shifted = shifts.shifted(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 5);
  for (std::size_t x = 0; x < 12; ++x) CHECK(shifted[shifts.sum(x, 5)] == static_cast<int>(x));
}

TEST_CASE("ranges, points and conjunctions are closed under shifts, but prefixes and lists of some points are not") {
  const auto representatives = [](const std::string& shape, const std::vector<std::uint32_t>& values,
                                  const Workload& workload) {
    const ExplicitWorkload all = queries_of(shape, workload);
    const ShiftWorkload result = up_to_shifts(all, Shifts(values));
    CHECK(std::accumulate(result.queries.counts.begin(), result.queries.counts.end(), 0.0) ==
          static_cast<double>(all.functions.cols()));
    CHECK(result.queries.functions.cols() == static_cast<Eigen::Index>(result.queries.names.size()));
    return result.closed ? result.queries.functions.cols() : -1;
  };
  // A range of length L is the negation of a range of length 12 - L that goes around the circle.
  CHECK(representatives("r12", {12}, Ranges{}) == 6);
  CHECK(representatives("c7", {7}, points_of("c7", 0, 7)) == 1);
  CHECK(representatives("b b b b", {2, 2, 2, 2}, Conjunctions{2}) == 4 + 6);
  CHECK(representatives("r12", {12}, Prefixes{}) == -1);
  CHECK(representatives("c7", {7}, points_of("c7", 1, 7)) == -1);
}

TEST_CASE("queries with different weights are not shifts of each other") {
  ExplicitWorkload points = queries_of("c4", points_of("c4", 0, 4));
  CHECK(up_to_shifts(points, Shifts({4})).closed);
  points.weights[2] = 3;
  CHECK_FALSE(up_to_shifts(points, Shifts({4})).closed);
}

std::map<std::vector<bool>, double> law_of(const StrategySets& strategy, const Shifts& shifts) {
  std::map<std::vector<bool>, double> law;
  for (std::size_t k = 0; k < strategy.sets.size(); ++k) {
    for (std::size_t s = 0; s < (strategy.shifts ? shifts.records() : 1); ++s) {
      law[shifts.shifted(strategy.sets[k], s)] += strategy.weights[k];
    }
  }
  return law;
}

TEST_CASE("half-circles and parities of booleans are the candidates that are strategies with shifts") {
  const auto check = [](const std::string& shape, const std::vector<std::uint32_t>& values, const Workload& workload) {
    CAPTURE(shape);
    const Shifts shifts(values);
    int checked = 0;
    const std::vector<Candidate> others = candidates(shift_base(shape), workload, kShiftTarget).value();
    for (const Candidate& other : others) {
      if (!other.task) continue;
      const StrategySets outputs = outputs_of(*other.task, 100000);
      if (outputs.sets.empty()) continue;
      const StrategySets orbits = up_to_shifts(outputs, shifts, 100000);
      const auto written = law_of(orbits, shifts);
      const auto expected = law_of(outputs, shifts);
      if (written.size() != expected.size()) continue;
      for (const auto& [set, weight] : expected) CHECK(written.at(set) == doctest::Approx(weight).epsilon(1e-9));
      CHECK(orbits.sets.size() < outputs.sets.size());
      ++checked;
    }
    CHECK(checked > 0);
  };
  check("b b b b", {2, 2, 2, 2}, Conjunctions{2});
  check("r12", {12}, Ranges{});
}

// 6 values have so few sets that all can be listed.
TEST_CASE("the sets that the search finds up to shifts are as good as all sets") {
  const ExplicitWorkload queries = up_to_shifts(queries_of("r6", Ranges{}), Shifts({6})).queries;
  const auto ratio = [&](const StrategySets& start) {
    const StrategyOptions options{.epsilon = 1, .most_outputs = 6 * 64, .rounds = 60};
    const StrategySets found = optimise_shift_strategy(queries, {6}, start, options);
    REQUIRE(found.shifts);
    const StrategySpec matrix = rounded_strategy(found, Epsilon::parse("1").value()).value();
    CHECK(matrix.shifts);
    return plan_strategy(tests::strategy_task("r6", matrix), queries, kShiftTarget)->limit_ratio;
  };
  StrategySets all;
  all.shifts = true;
  for (unsigned bits = 1; bits < 63; ++bits) {
    std::vector<bool> set;
    for (unsigned x = 0; x < 6; ++x) set.push_back((bits >> x & 1U) != 0);
    all.sets.push_back(set);
    all.weights.push_back(1);
  }
  CHECK(ratio({}) == doctest::Approx(ratio(all)).epsilon(2e-3));
}

TEST_CASE("a strategy with shifts has the same plan for all queries and for one query of each orbit of the shifts") {
  const Candidate made =
      strategy_candidate(shift_base("r9"), Ranges{}, kShiftTarget, {}, [](const std::string&) {}).value();
  REQUIRE(std::get<StrategyChannel>(made.task->channel().kind()).shifts());
  const WorkloadPlan all = plan_strategy(*made.task, queries_of("r9", Ranges{}), kShiftTarget).value();
  CHECK(all.limit_ratio == doctest::Approx(made.plan->limit_ratio).epsilon(1e-6));
  CHECK(all.users_worst == made.plan->users_worst);
  CHECK(all.users_average == made.plan->users_average);
}

TEST_CASE("a strategy with shifts passes the exact audit, at small and large epsilon") {
  for (const char* epsilon : {"0.01", "1", "4", "12"}) {
    CAPTURE(epsilon);
    const Candidate made =
        strategy_candidate(shift_base("r8", epsilon), Ranges{}, kShiftTarget, {}, [](const std::string&) {}).value();
    REQUIRE(made.plan);
    REQUIRE(std::get<StrategyChannel>(made.task->channel().kind()).shifts());
    CHECK(audit(*made.task, made.task->channel())->holds);
    CHECK(Task::parse(made.task->canonical_json())->id() == made.task->id());
  }
}

TEST_CASE("a search with shifts ends after its budget, with at most as many sets as allowed") {
  const ExplicitWorkload queries = up_to_shifts(queries_of("r24", Ranges{}), Shifts({24})).queries;
  int steps = 0;
  StrategyOptions options{.epsilon = 1, .most_outputs = 24 * 20, .rounds = 40, .most_work = 0};
  options.progress = [&steps](const StrategyProgress&) { ++steps; };
  const StrategySets found = optimise_shift_strategy(queries, {24}, {}, options);
  CHECK(steps == 5);  // each of five searches ends after one round
  CHECK(found.sets.size() <= 20);
  options.most_work = INFINITY;
  steps = 0;
  double most = 0;
  options.progress = [&](const StrategyProgress& at) {
    ++steps;
    most = at.work;
  };
  CHECK(optimise_shift_strategy(queries, {24}, {}, options).sets.size() <= 20);
  CHECK(steps > 5);
  CHECK(most <= shift_work(queries, 20, 40));
}

}  // namespace
}  // namespace hearsay::planner
