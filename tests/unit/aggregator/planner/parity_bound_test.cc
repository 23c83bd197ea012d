// Compares the bound for parities with all groups that the planner plans.
#include "aggregator/planner/parity_bound.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "aggregator/planner/candidates.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

constexpr Target kParityTarget{0.01, 0.05};

std::vector<Query> listed_queries(const Schema& schema, const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(Query::parse(schema, text).value());
  return queries;
}

double least_planned(const TaskSpec& base, const Workload& workload) {
  double least = std::numeric_limits<double>::infinity();
  const std::vector<Candidate> list = candidates(base, workload, kParityTarget).value();
  for (const Candidate& one : list) {
    const bool asks_parities = one.name.starts_with("characters, planned") ||
                               one.name.starts_with("characters, uniform") ||
                               one.name.starts_with("characters, groups for");
    if (asks_parities && one.plan) least = std::min(least, one.plan->limit_ratio);
  }
  return least;
}

TEST_CASE("no plan of groups of parities costs less than the bound for parities") {
  struct Case {
    const char* shape;
    std::vector<std::string> texts;
  };
  const std::vector<Case> cases{{"b b b b", {"a0", "a1 and a2", "a0 and a3", "a1 or a3"}},
                                {"c3 c5 b", {"a0 = v1 and a1 = v3", "a1 = v0 and a2", "a2"}},
                                {"c5 c9", {"a0 = v1 and a1 = v3", "a0 = v4 or a1 = v5"}},
                                {"c33", {"a0 = v32", "a0 = v1"}}};
  for (const Case& one : cases) {
    for (const char* const epsilon : {"0.5", "2", "6"}) {
      const TaskSpec base = tests::spec_over(one.shape, epsilon);
      const std::vector<Query> queries = listed_queries(base.schema, one.texts);
      const double bound = least_ratio_of_parities(base, queries, queries);
      const double least = least_planned(base, queries);
      CAPTURE(one.shape);
      CAPTURE(epsilon);
      CHECK(bound <= least);
      CHECK(bound > 0.02 * least);
      const std::vector<Query> literals = representatives(Conjunctions{1}, base.schema).value();
      CHECK(least_ratio_of_parities(base, Conjunctions{1}, literals) <= least_planned(base, Conjunctions{1}));
    }
  }
}

TEST_CASE("for queries that are no products the bound is 0") {
  const TaskSpec base = tests::spec_over("b r16", "1");
  CHECK(least_ratio_of_parities(base, Functions{2}, representatives(Functions{2}, base.schema).value()) == 0);
  const std::vector<Query> no_product = listed_queries(base.schema, {"a0 and a1 >= 3 or not a0 and a1 >= 9"});
  CHECK(least_ratio_of_parities(base, no_product, no_product) == 0);
}

}  // namespace
}  // namespace hearsay::planner
