// A workload over a small universe, as a list of functions.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

struct ExplicitWorkload {
  // One column for each query, one row for each record. From row to row, the last attribute changes fastest.
  Eigen::MatrixXd functions;
  // For each function, the factor that multiplies its variance.
  std::vector<double> weights;
  std::vector<std::string> names;  // the name of each function, for people
  std::vector<double> counts;      // how many queries each function stands for
};

// Returns every query of the workload as a function. For prefixes, lists only [value <= t], since a query and its
// negation have the same variance. Errors: those of representatives(); kInvalidArgument (the workload's classes hold no
// query), kUnsupported (functions of attributes, which are too many to list), kLimitExceeded (more than
// StrategyChannel::kMaxRecords records, 2^16 queries, or 2^24 numbers).
Result<ExplicitWorkload> explicit_workload(const Workload& workload, const Schema& schema);

}  // namespace hearsay::planner
