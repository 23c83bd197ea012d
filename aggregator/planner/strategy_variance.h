// The variance of an estimate of the channel `strategy`, exactly, from its matrix.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/strategy_decoder.h"
#include "aggregator/planner/report_variance.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Of functions of the records, one a column.
std::vector<ReportVariance> strategy_variances(const Eigen::MatrixXd& functions, const Eigen::MatrixXd& scores,
                                               const Eigen::MatrixXd& second_moments);

// The query must be compiled for the task, whose channel is `strategy`.
ReportVariance strategy_variance(const Task& task, const compiler::LinearQuery& linear);
// n times the variance of the error against the fraction among these reporters: records, and their parts of all.
double strategy_variance_among(const Task& task, const compiler::LinearQuery& linear, std::span<const Record> records,
                               std::span<const double> parts);

}  // namespace hearsay::planner
