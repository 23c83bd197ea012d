// What a workload takes if something about it changes, and the errors that a given number of users leaves.
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

// What candidates() plans for. Copies know what was planned for the others.
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
  bool near_normal;   // whether the normal quantile, on which half_width rests, holds for so many users
};

// Of one query, by the quantile of users_for(): so many users as users_exact leave an error of alpha. `users` is at
// least 1. Errors: kInvalidArgument (beta).
Result<ExpectedError> expected_error(const PlannedQuery& planned, std::uint64_t users, double beta);

// Of the worst query of a workload that was planned for this target. Exact to one part in users_worst. Errors: as
// above.
Result<ExpectedError> expected_error(const WorkloadPlan& planned, std::uint64_t users, const Target& target);

// The best of candidates(). Errors: those of candidates(), and that of the best candidate, if none can answer.
Result<Candidate> best_candidate(const Wish& wish);

// A change of a wish, and the best task for what it then asks.
struct WhatIf {
  std::string
      change;  // "epsilon 2", "without attribute age", "without query `age > 5`", "16 values of age instead of 32"
  Result<WorkloadPlan> plan;
};

// The wish at another ε.
Result<Candidate> at_epsilon(const Wish& wish, const Epsilon& epsilon);

// The wish with one thing left out, for each thing that can be: an attribute, with all queries about it; a query of a
// list; a part of a mixture. Of many, the `most` dearest: those attributes with most values, those queries that take
// most users in `chosen`, the task for the whole wish. Those that save most come first, and what cannot be planned
// comes last.
std::vector<WhatIf> with_less(const Wish& wish, const Task& chosen, std::size_t most);

// The wish with half as many values of one categorical or integer attribute, for the `most` attributes of most values
// among those that are asked about. Two neighbouring values become one; queries ask for the new values that hold one of
// theirs. Queries with weighted sums of values are left as they are, and their attributes, too. So are attributes that
// `chosen`, the task for the whole wish, cuts: reports tell their cells only. Those that save most come first.
std::vector<WhatIf> with_coarser_values(const Wish& wish, const Task& chosen, std::size_t most);

// Cost of the three functions above: that of candidates() for every change.

// How many changes to try, at most `most`: fewer if the attributes asked about have more than 512 values together (or
// cells of values, where a list is planned for cells), since each change takes as long as the plan itself.
std::size_t changes_to_try(const Wish& wish, std::size_t most);

}  // namespace hearsay::planner
