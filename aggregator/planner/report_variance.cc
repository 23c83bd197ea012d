#include "aggregator/planner/report_variance.h"

#include <algorithm>
#include <cmath>

#include "aggregator/planner/sampled_variance.h"
#include "aggregator/tails/query_error.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

// The instance term is linear in ω, so it is largest in one of the classes.
ReportVariance laplace_variance(const LaplaceChannel& channel, const compiler::LinearQuery& linear) {
  const double variance =
      tails::noise_variance(channel, linear) + std::max(linear.class_variance[0], linear.class_variance[1]);
  double influence = 0;
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    influence += 2 * std::abs(weight.value) * static_cast<double>(channel.bound(weight.coordinate));
  }
  return {variance, variance, variance, influence};
}

}  // namespace

ReportVariance report_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear) {
  const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind());
  return laplace != nullptr ? laplace_variance(*laplace, linear) : sampled_variance(task, query, linear);
}

}  // namespace hearsay::planner
