// How good groups of parities can be, before they are planned.
#pragma once

#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// A limit_ratio that no groups of parities are below, where planning them would take long. Nothing is known, and 0
// returned, where it would not, and for other workloads than lists of products and conjunctions. `queries`:
// representatives() of the workload.
double least_ratio_of_parities(const TaskSpec& base, const Workload& workload, const std::vector<Query>& queries);

}  // namespace hearsay::planner
