// Upper bounds on the variance of every query of a class, where these are too many to try.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/planner/report_variance.h"
#include "aggregator/planner/workload.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// No conjunction of literals of exactly these attributes, one of each, has more; nor any function of these attributes.
// `exact` is false. Attributes ascending; on `literals`, functions are of one attribute. Errors: kLimitExceeded (the
// paper's weights, which have no bound here). Cost: up to tenths of a second.
Result<ReportVariance> class_bound(const Task& task, const Conjunctions& workload,
                                   std::span<const std::uint32_t> attributes);
Result<ReportVariance> class_bound(const Task& task, const Functions& workload,
                                   std::span<const std::uint32_t> attributes);

}  // namespace hearsay::planner
