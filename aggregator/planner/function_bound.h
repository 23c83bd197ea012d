// Bounds the variance of all functions of some attributes, in tasks that ask other questions than parities.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/planner/report_variance.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Returns a bound for all functions of `attributes`, which must ascend, with values from 0 to 1. The bound's `exact` is
// false. Errors: kQueryNotCovered (the questions do not tell some values apart, or the task does not ask about a set of
// the attributes), kLimitExceeded (an attribute of more than 2^9 values). The cost grows with the cube of the largest
// number of values.
Result<ReportVariance> function_bound(const Task& task, std::span<const std::uint32_t> attributes);

}  // namespace hearsay::planner
