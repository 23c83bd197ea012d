// Bounds the variance of every query of a class, for classes that are too large to try all queries.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/planner/report_variance.h"
#include "aggregator/planner/workload.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Returns a bound for all conjunctions of one literal of each of the `attributes`, or for all functions of the
// `attributes`. The bound's `exact` is false. `attributes` must ascend. On `literals`, functions must be of one
// attribute. Errors: kLimitExceeded (no bound is known for `explicit`, nor for the paper's calibration). Cost: up to
// tenths of a second.
Result<ReportVariance> class_bound(const Task& task, const Conjunctions& workload,
                                   std::span<const std::uint32_t> attributes);
Result<ReportVariance> class_bound(const Task& task, const Functions& workload,
                                   std::span<const std::uint32_t> attributes);

}  // namespace hearsay::planner
