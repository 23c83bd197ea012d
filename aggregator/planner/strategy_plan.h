// Plans how many users a `strategy` task needs for a workload.
#pragma once

#include <functional>
#include <optional>

#include "aggregator/planner/strategy_workload.h"
#include "aggregator/planner/workload_plan.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Plans the task query by query, with exact variances from the integers of the task's matrix. Queries have the scores
// that the estimates use (compiler/worst_people_scores.h). Functions that are no queries have the scores of
// StrategyDecoder::scores(). Cost: about 100·outputs·records multiplications for each query. Errors: those of
// StrategyDecoder::scores() and users_for().
Result<WorkloadPlan> plan_strategy(const Task& task, const ExplicitWorkload& workload, const Target& target);

// Plans as plan_strategy() does. Returns nothing if the queries with the largest variances show at once that
// limit_ratio is above `most`. Errors: also kCancelled (`stopped` returned true before all queries were planned).
Result<std::optional<WorkloadPlan>> plan_good_strategy(const Task& task, const ExplicitWorkload& workload,
                                                       const Target& target, double most,
                                                       const std::function<bool()>& stopped = {});

}  // namespace hearsay::planner
