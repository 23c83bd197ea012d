// Mixes two choices of groups, for the worst population.
#pragma once

#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Tries ten mixtures (1-t)·a + t·b, 0 <= t <= 1, by quick plans. Then plans the best of the ten, a and b in full.
// Returns the one of these three whose worst query takes the fewest users over the worst population. So the result is
// at least as good as a and b. A mixture can be better than a and b: GroupPlanner's weights are best on average only,
// and groups with several bits have covariances that are large for some populations. `base` gives the schema, ε and
// times. `a` and `b` must be specifications of `sampled` for `characters` of the order `order`. Errors: those of
// planning a query. Cost: planning the queries ten times quickly and three times in full.
Result<SampledSpec> best_mixture(const TaskSpec& base, std::uint32_t order, const SampledSpec& a, const SampledSpec& b,
                                 const std::vector<Query>& queries);

}  // namespace hearsay::planner
