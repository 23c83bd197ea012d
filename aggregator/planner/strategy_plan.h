// What a `strategy` task needs for a workload.
#pragma once

#include <optional>

#include "aggregator/planner/strategy_workload.h"
#include "aggregator/planner/workload_plan.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Exactly, query by query, from the task's own integers: with the scores that the estimates have, those of functions
// that are no queries being linear (compiler/worst_people_scores.h). Cost: some 100 times outputs·records for each
// query. Errors: those of StrategyDecoder::scores().
Result<WorkloadPlan> plan_strategy(const Task& task, const ExplicitWorkload& workload, const Target& target);

// The same. Returns nothing if the dearest queries show at once that limit_ratio is above `most`.
Result<std::optional<WorkloadPlan>> plan_good_strategy(const Task& task, const ExplicitWorkload& workload,
                                                       const Target& target, double most);

}  // namespace hearsay::planner
