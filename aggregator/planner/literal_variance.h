// Computes the variances of estimates (ReportVariance) for `sampled` on `literals`.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/planner/report_variance.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Returns the variance of the query's estimate. The task must use `sampled` on `literals`, and the query must be
// compiled for the task.
ReportVariance literal_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

// Returns the channel's part of n·Var of the estimate, for n people drawn from a population. The channel's part is
// n·Var minus the variance of offset + ⟨a(x), g⟩ over the people, where a(x) are the coordinates and g the query's
// weights. people[i] is the fraction of people with the record records[i].
double literal_variance_among(const Task& task, const compiler::LinearQuery& linear, const std::vector<Record>& records,
                              const std::vector<double>& people);

}  // namespace hearsay::planner
