// Compares a strategy with every other mechanism of the planner that has a worst-case guarantee, from the integers of
// the tasks.
//
// At ε = 1 no other mechanism may be better by more than 1e-4, which is rounding. The scores for a query's worst people
// are no worse than any estimate from the same reports, up to 1 %. And the outputs of each mechanism are among the
// outputs that the search tries.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "aggregator/planner/candidates.h"
#include "aggregator/planner/strategy_design.h"
#include "common/audit/audit.h"
#include "tests/support/bit_sources.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay::planner {
namespace {

// The variances of the other mechanisms are right to 0.01 %. Rounding the entries to 32 bits changes the variance of a
// strategy by less.
constexpr double kRounded = 1e-4;

TaskSpec base_for(const std::string& shape, const std::string& epsilon = "1") {
  return tests::strategy_spec(shape, tests::response_matrix(2), epsilon);
}

// The limit_ratio of the worst query in its worst population, for the best of the other mechanisms and for the
// strategy.
struct Ratios {
  double others = INFINITY;
  double strategy = INFINITY;
};

Ratios ratios_of(const std::string& shape, const Workload& workload, const std::string& epsilon = "1") {
  constexpr Target kTarget{0.01, 0.05};
  const TaskSpec base = base_for(shape, epsilon);
  const std::vector<Candidate> others = candidates(base, workload, kTarget).value();
  Ratios ratios;
  for (const Candidate& other : others) {
    // A mechanism with an average-case guarantee cannot be compared.
    if (other.plan && other.plan->guarantee == compiler::Guarantee::kWorstCase) {
      ratios.others = std::min(ratios.others, other.plan->limit_ratio);
    }
  }
  const Candidate made = strategy_candidate(base, workload, kTarget, others, [](const std::string&) {}).value();
  CHECK(audit(*made.task, made.task->channel())->holds);
  ratios.strategy = made.plan->limit_ratio;
  return ratios;
}

Workload each_value(const std::string& shape, std::uint32_t values) {
  std::vector<Query> queries;
  const Schema schema = base_for(shape).schema;
  for (std::uint32_t v = 0; v < values; ++v) {
    queries.push_back(Query::parse(schema, "a0 = v" + std::to_string(v)).value());
  }
  return queries;
}

Workload random_sets(const std::string& shape, std::uint32_t values, int count) {
  tests::CounterBitSource bits("random workload " + shape);
  std::vector<Query> queries;
  const Schema schema = base_for(shape).schema;
  for (int q = 0; q < count; ++q) {
    std::string list;
    for (std::uint32_t v = 0; v < values; ++v) {
      if (bits.bits(1) != 0) list += (list.empty() ? "v" : ", v") + std::to_string(v);
    }
    queries.push_back(Query::parse(schema, "a0 in {" + list + "}").value());
  }
  return queries;
}

void check(const std::string& shape, const Workload& workload) {
  CAPTURE(shape);
  const Ratios ratios = ratios_of(shape, workload);
  MESSAGE(shape << ": " << ratios.strategy << ", others " << ratios.others);
  CHECK(ratios.strategy <= ratios.others * (1 + kRounded));
}

// In randomized response a wrong answer has the probability 1/(1+e^ε). A strategy rounds this probability up to a
// multiple of 2^-32, and the variance grows in proportion. At ε = 24 the smallest entry is 1, so only validity is
// checked.
TEST_CASE("at large ε only rounding makes a strategy worse than randomized response") {
  const Workload question = std::vector<Query>{Query::parse(base_for("b").schema, "a0").value()};
  for (const int epsilon : {4, 8, 12, 14, 16, 18, 20, 22}) {
    CAPTURE(epsilon);
    const double untrue = 0x1p32 / (1 + std::exp(epsilon));
    const Ratios ratios = ratios_of("b", question, std::to_string(epsilon));
    CHECK(ratios.strategy <= ratios.others * (1 + kRounded) * std::ceil(untrue) / untrue);
  }
  for (const char* epsilon : {"24", "40", "64"}) CHECK(std::isfinite(ratios_of("b", question, epsilon).strategy));
}

TEST_CASE("a strategy equals or beats every other worst-case mechanism: small universes") {
  check("r24", Ranges{});
  check("c12", each_value("c12", 12));
  check("b b b b", Conjunctions{2});
  check("b b b b b b", Conjunctions{2});
  const Ratios prefixes = ratios_of("r16", Prefixes{});
  CHECK(prefixes.strategy <= 0.9 * prefixes.others);
  const Ratios sets = ratios_of("c10", random_sets("c10", 10, 8));
  CHECK(sets.strategy <= 0.75 * sets.others);
}

TEST_CASE(
    "all ranges of 64 values take at most 17.2 times the one-query limit, 9 percent less than any other mechanism") {
  const Ratios ratios = ratios_of("r64", Ranges{});
  CHECK(ratios.strategy <= 17.2);
  CHECK(ratios.strategy <= 0.91 * ratios.others);
}

// These tests take minutes, so only run_long.sh runs them.
TEST_CASE("a strategy equals or beats every other worst-case mechanism: up to 128 records" * doctest::skip()) {
  check("r128", Prefixes{});
  check("c64", each_value("c64", 64));
  check("c50", random_sets("c50", 50, 40));
}
TEST_CASE("a strategy equals or beats every other worst-case mechanism: 256 records" * doctest::skip()) {
  check("b b b b b b b b", Conjunctions{2});
  check("r256", Ranges{});
  check("c256", each_value("c256", 256));
  check("r256", Prefixes{});
  check("c256", random_sets("c256", 256, 40));
}

}  // namespace
}  // namespace hearsay::planner
