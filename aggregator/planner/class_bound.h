// Upper bounds on the variance of every query of a class, for classes that are too large to try all queries.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/planner/report_variance.h"
#include "aggregator/planner/workload.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Returns a bound for all conjunctions of one literal of each of these attributes, or for all functions of these
// attributes. `exact` is false. `attributes` ascend. On `literals`, functions must be of one attribute. Errors:
// kLimitExceeded (a task with the paper's calibration has no bound). Cost: up to tenths of a second.
Result<ReportVariance> class_bound(const Task& task, const Conjunctions& workload,
                                   std::span<const std::uint32_t> attributes);
Result<ReportVariance> class_bound(const Task& task, const Functions& workload,
                                   std::span<const std::uint32_t> attributes);

}  // namespace hearsay::planner
