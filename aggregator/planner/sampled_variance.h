// report_variance() for the channel `sampled`.
#pragma once

#include "aggregator/planner/report_variance.h"

namespace hearsay::planner {

ReportVariance sampled_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

}  // namespace hearsay::planner
