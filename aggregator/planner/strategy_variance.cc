// Given the record x, s(x) is the mean of the squared score of a report, and f(x) is the mean of the score. n·Var is Σ
// π_x·s(x) - (Σ π_x·f(x))² for people drawn anew from the population π, and Σ π_x·(s(x) - f(x)²) among the people who
// report.

#include "aggregator/planner/strategy_variance.h"

#include <algorithm>

#include "aggregator/compiler/record_function.h"
#include "aggregator/compiler/work.h"
#include "aggregator/compiler/worst_people_scores.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

using Eigen::Index;

Eigen::VectorXd function_of(const Task& task, const compiler::LinearQuery& linear) {
  compiler::Work work;
  const std::vector<double> values = compiler::record_function(task, linear, work);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
}

}  // namespace

std::vector<ReportVariance> strategy_variances(const Eigen::MatrixXd& functions, const Eigen::MatrixXd& scores,
                                               const Eigen::MatrixXd& second_moments) {
  std::vector<ReportVariance> variances;
  for (Index i = 0; i < functions.cols(); ++i) {
    const Eigen::VectorXd moments = second_moments.col(i);
    const Eigen::VectorXd function = functions.col(i);
    const Eigen::VectorXd of_record = moments - function.cwiseAbs2();
    const double mean = function.mean();
    const double average = moments.mean() - mean * mean;
    const double influence = scores.col(i).maxCoeff() - scores.col(i).minCoeff();
    variances.push_back({.average = average,
                         .worst = compiler::largest_variance(moments, function),
                         .worst_among_reporters = std::max(0.0, of_record.maxCoeff()),
                         .influence = influence,
                         .kurtosis = average > 0 ? influence * influence / average : 0,
                         .exact = true});
  }
  return variances;
}

ReportVariance strategy_variance(const Task& task, const compiler::LinearQuery& linear) {
  const Eigen::VectorXd function = function_of(task, linear);
  const compiler::StrategyDecoder decoder(std::get<StrategyChannel>(task.channel().kind()));
  // A query that was compiled for the task has scores.
  const Eigen::VectorXd scores = compiler::query_scores(decoder, linear, function).value();
  return strategy_variances(function, scores, decoder.second_moments(scores)).front();
}

double strategy_variance_among(const Task& task, const compiler::LinearQuery& linear, std::span<const Record> records,
                               std::span<const double> parts) {
  const auto& channel = std::get<StrategyChannel>(task.channel().kind());
  const Eigen::VectorXd function = function_of(task, linear);
  const compiler::StrategyDecoder decoder(channel);
  const Eigen::VectorXd scores = compiler::query_scores(decoder, linear, function).value();
  const Eigen::VectorXd of_record = decoder.second_moments(scores) - function.cwiseAbs2();
  double variance = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    variance += parts[i] * of_record[static_cast<Index>(channel.number_of(records[i]))];
  }
  return variance;
}

}  // namespace hearsay::planner
