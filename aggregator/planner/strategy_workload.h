// A workload over a small universe, function by function.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

struct ExplicitWorkload {
  Eigen::MatrixXd functions;       // records × q: of each query, its value for every record; the last attribute changes
                                   // fastest
  std::vector<double> weights;     // of each: its variance counts so many times
  std::vector<std::string> names;  // of each, for people
};

// Every query of the workload; a query and its negation have the same variance, and one of them is there.
// Errors: those of representatives(); kUnsupported (functions of attributes, which are too many to list),
// kLimitExceeded (more than StrategyChannel::kMaxRecords records, 2^16 queries, or 2^24 numbers).
Result<ExplicitWorkload> explicit_workload(const Workload& workload, const Schema& schema);

}  // namespace hearsay::planner
