// How good groups of parities can be, before they are planned.
#pragma once

#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// A limit_ratio that no groups of parities are below. 0, so nothing is known, for other workloads than lists of
// products and conjunctions. `queries`: representatives() of the workload.
double least_ratio_of_parities(const TaskSpec& base, const Workload& workload, const std::vector<Query>& queries);

// Whether it takes long to plan groups of parities: the queries have more than 2^13 bit patterns together.
bool has_many_patterns(const std::vector<Query>& queries, const Schema& schema);

}  // namespace hearsay::planner
