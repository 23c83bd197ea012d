// When groups of parities need not be planned.
#pragma once

#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Whether planning groups of parities for a list of queries would take long, and none of them have a limit_ratio as
// small as `ratio`. False for other workloads.
bool parities_are_dear(const TaskSpec& base, const Workload& workload, const std::vector<Query>& queries, double ratio);

}  // namespace hearsay::planner
