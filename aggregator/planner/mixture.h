// Weights of groups between two choices, for the worst population.
#pragma once

#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Of ten mixtures (1-t)·a + t·b, 0 <= t <= 1, the one whose worst query takes the least over the worst population.
// GroupPlanner's weights are best on average only: groups with several bits have covariances, and some population pays
// for them. `base` gives the schema, ε and times, `a` and `b` are of `sampled` on characters of this order. At least as
// good as both. Errors: those of planning a query. Cost: that of planning the queries ten times.
Result<SampledSpec> best_mixture(const TaskSpec& base, std::uint32_t order, const SampledSpec& a, const SampledSpec& b,
                                 const std::vector<Query>& queries);

}  // namespace hearsay::planner
