// Says how many users a workload takes after a change, and which errors a given number of users leaves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/planner/candidates.h"
#include "aggregator/planner/known_plans.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/workload.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// The arguments of candidates(). Copies share the plans of earlier calls.
struct Wish {
  TaskSpec base;
  Workload workload;
  Target target;
  std::shared_ptr<KnownPlans> known = std::make_shared<KnownPlans>();
};

// The expected error of an answer, before anybody reports.
struct ExpectedError {
  double half_width;  // half the width of an interval that holds the answer with probability 1 - beta
  bool at_most;       // half_width is an upper bound
  // True if the estimate from the given number of users is near enough to normal (near_normal() in plan.h).
  bool near_normal;
};

// Returns the error of one query, by the quantile of users_for(). For users_exact users the error is at most alpha.
// `users` is at least 1. Errors: kInvalidArgument (beta).
Result<ExpectedError> expected_error(const PlannedQuery& planned, std::uint64_t users, double beta);

// Returns the error of the worst query of a workload. `planned` must be the plan for `target`. The result is exact to
// one part in users_worst. Errors: kInvalidArgument (beta).
Result<ExpectedError> expected_error(const WorkloadPlan& planned, std::uint64_t users, const Target& target);

// Returns the best of candidates(). Errors: those of candidates(); if no candidate can answer, the error of the first
// candidate.
Result<Candidate> best_candidate(const Wish& wish);

// A change of a wish, and the plan of the best task for the changed wish.
struct WhatIf {
  std::string
      change;  // "epsilon 2", "without attribute age", "without query `age > 5`", "16 values of age instead of 32"
  Result<WorkloadPlan> plan;
};

// Plans the wish at another ε.
Result<Candidate> at_epsilon(const Wish& wish, const Epsilon& epsilon);

// Plans the wish with one thing left out, for each thing that can be left out: an attribute with all queries about it;
// a query of a list; a part of a mixture. If there are more than `most` attributes or queries, tries the `most`
// dearest: the attributes with the most values, and the queries that take the most users in `chosen`. `chosen` is the
// task for the whole wish. Changes that save the most come first. Changes that cannot be planned come last.
std::vector<WhatIf> with_less(const Wish& wish, const Task& chosen, std::size_t most);

// Plans the wish with half as many values of one categorical or integer attribute. Tries the `most` attributes with the
// most values, among the attributes that the wish asks about. Two neighbouring values become one new value. A query
// then asks for the new values that contain one of its values. Leaves alone attributes in weighted sums of values.
// Leaves alone attributes that `chosen` cuts, since reports tell only the cells of such attributes. `chosen` is the
// task for the whole wish. Changes that save the most come first.
std::vector<WhatIf> with_coarser_values(const Wish& wish, const Task& chosen, std::size_t most);

// The three functions above call candidates() once for each change.

// Returns how many changes to try, at most `most`. Each change costs a plan of its own. So the number is smaller if the
// attributes that the wish asks about have more than 512 values together. (For a list that is planned for cells, the
// limit is 512 cells.)
std::size_t changes_to_try(const Wish& wish, std::size_t most);

}  // namespace hearsay::planner
