// Says what a workload takes if something about it changes, and which errors a given number of users leaves.
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

// What candidates() plans for. Copies share what was planned before.
struct Wish {
  TaskSpec base;
  Workload workload;
  Target target;
  std::shared_ptr<KnownPlans> known = std::make_shared<KnownPlans>();
};

// The error of an answer before anybody reports.
struct ExpectedError {
  double half_width;  // of the interval around the estimate that holds the answer with probability 1 - beta
  bool at_most;       // half_width is an upper bound
  // True if the normal quantile, on which half_width rests, holds for so many users.
  bool near_normal;
};

// Returns the error of one query, by the quantile of users_for(): users_exact users leave an error of alpha. `users` is
// at least 1. Errors: kInvalidArgument (beta).
Result<ExpectedError> expected_error(const PlannedQuery& planned, std::uint64_t users, double beta);

// Returns the error of the worst query of a workload that was planned for this target. Exact to one part in
// users_worst. Errors: kInvalidArgument (beta).
Result<ExpectedError> expected_error(const WorkloadPlan& planned, std::uint64_t users, const Target& target);

// Returns the best of candidates(). Errors: those of candidates(); that of the best candidate, if none can answer.
Result<Candidate> best_candidate(const Wish& wish);

// A change of a wish, and the best task for the changed wish.
struct WhatIf {
  std::string
      change;  // "epsilon 2", "without attribute age", "without query `age > 5`", "16 values of age instead of 32"
  Result<WorkloadPlan> plan;
};

// Plans the wish at another ε.
Result<Candidate> at_epsilon(const Wish& wish, const Epsilon& epsilon);

// Plans the wish with one thing left out, for each thing that can be left out: an attribute with all queries about it;
// a query of a list; a part of a mixture. If there are many, tries the `most` dearest: the attributes with most values,
// or the queries that take most users in `chosen`, the task for the whole wish. Changes that save most come first.
// Changes that cannot be planned come last.
std::vector<WhatIf> with_less(const Wish& wish, const Task& chosen, std::size_t most);

// Plans the wish with half as many values of one categorical or integer attribute, for the `most` attributes with most
// values that are asked about. Two neighbouring values become one, and queries ask for the new values that hold one of
// theirs. Leaves alone attributes in weighted sums of values, and attributes that `chosen`, the task for the whole
// wish, cuts: reports tell only their cells. Changes that save most come first.
std::vector<WhatIf> with_coarser_values(const Wish& wish, const Task& chosen, std::size_t most);

// Cost of the three functions above: candidates() for every change.

// Returns how many changes to try, at most `most`. Each change takes as long as the plan itself. So there are fewer if
// the attributes asked about have more than 512 values together (or cells, if a list is planned for cells).
std::size_t changes_to_try(const Wish& wish, std::size_t most);

}  // namespace hearsay::planner
