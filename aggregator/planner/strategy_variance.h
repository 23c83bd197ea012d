// Computes exact variances of estimates with the channel `strategy`, from the channel's matrix.
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

// Returns the variances of functions of the records. Each column of `functions` is one function.
std::vector<ReportVariance> strategy_variances(const Eigen::MatrixXd& functions, const Eigen::MatrixXd& scores,
                                               const Eigen::MatrixXd& second_moments);

// Returns the variance of the query's estimate. The query must be compiled for the task, whose channel must be
// `strategy`.
ReportVariance strategy_variance(const Task& task, const compiler::LinearQuery& linear);
// Returns n times the variance of the error against the fraction among the reporters. parts[i] is the fraction of
// reporters with the record records[i].
double strategy_variance_among(const Task& task, const compiler::LinearQuery& linear, std::span<const Record> records,
                               std::span<const double> parts);

}  // namespace hearsay::planner
