// Bounds how good groups of parities can be, without planning such groups.
#pragma once

#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Returns a lower bound on the limit_ratio of all groups of parities. Returns the trivial bound 0 unless the workload
// is a list of products, or conjunctions. `queries` are representatives() of the workload.
double least_ratio_of_parities(const TaskSpec& base, const Workload& workload, const std::vector<Query>& queries);

// Returns true if planning groups of parities takes long: the queries have more than 2^13 bit patterns together.
bool has_many_patterns(const std::vector<Query>& queries, const Schema& schema);

}  // namespace hearsay::planner
