#include "aggregator/tails/query_error.h"

#include <algorithm>
#include <cmath>

namespace hearsay::tails {
namespace {

// Length of an interval that holds offset + ⟨a(x), g⟩ for every record x.
double value_range(const compiler::LinearQuery& query) {
  double sum = 0;
  for (const compiler::LinearQuery::Weight& weight : query.weights) sum += std::abs(weight.value);
  return 2 * sum;
}

}  // namespace

double noise_variance(const LaplaceChannel& channel, const compiler::LinearQuery& query) {
  double sum = 0;
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    sum += weight.value * weight.value * channel.noise_variance(weight.coordinate);
  }
  return sum;
}

bool has_sampled_means(const compiler::LinearQuery& query) {
  return query.class_mean_variance[0] > 0 || query.class_mean_variance[1] > 0;
}

// Two bounded parts are one of the sum of their variances and the larger radius: Bennett's bound grows with the radius.
void add_instances(const compiler::LinearQuery& query, ReportError& error) {
  if (query.guarantee == compiler::Guarantee::kWorstCase) return;
  const double range = value_range(query);
  if (has_sampled_means(query)) {
    error.subgaussian_variance += range * range / 4;
  } else {
    error.bounded_variance += std::max(query.class_variance[0], query.class_variance[1]);
    error.bounded_radius = std::max(error.bounded_radius, range);
  }
}

// The clamp of a report takes noise N to N' with E e^{uN'} <= E e^{uN} + Pr[it binds] for u >= 0: what it raises stays
// below 0. E e^{uN} >= 1, so ln E e^{uN'} exceeds ln E e^{uN} by at most that probability; below 2^-65 for all
// coordinates.
ReportError report_error(const LaplaceChannel& channel, const compiler::LinearQuery& query) {
  ReportError error;
  error.slack = 0x1p-65;
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    error.noise.push_back({weight.value, channel.scale(weight.coordinate).approximate()});
  }
  add_instances(query, error);
  return error;
}

// The mean of ω·(error of class 1) + (1-ω)·(error of class 0) is at most the larger of the two. Each class has half of
// beta, each of its sides half of that. The number of sampled members is the quotient of the two variances.
double class_mean_half_width(const compiler::LinearQuery& query, double beta) {
  double largest = 0;
  for (std::size_t b = 0; b < 2; ++b) {
    if (!(query.class_mean_variance[b] > 0)) continue;
    const double members = std::max(query.class_variance[b] / query.class_mean_variance[b], 2.0);
    const double logarithm = std::log(2 / (beta / 4));
    const double bound = std::sqrt(2 * query.class_mean_variance[b] * logarithm) +
                         7 * value_range(query) * logarithm / (3 * (members - 1));
    largest = std::max(largest, bound);
  }
  return largest;
}

}  // namespace hearsay::tails
