#include "aggregator/tails/query_error.h"

#include <algorithm>
#include <cmath>

namespace hearsay::tails {
namespace {

// Returns the length of an interval that contains offset + ⟨a(x), g⟩ for every record x. No coordinate of a(x) is
// larger than largest_entry in size.
double value_range(const compiler::LinearQuery& query, double largest_entry = 1) {
  double sum = 0;
  for (const compiler::LinearQuery::Weight& weight : query.weights) sum += std::abs(weight.value);
  return 2 * sum * largest_entry;
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
  return query.class_members[0] > 0 || query.class_members[1] > 0;
}

// A ReportError has only one bounded part. So the function adds the variances, and takes the larger radius, since
// Bennett's bound grows with the radius.
void add_instances(const compiler::LinearQuery& query, ReportError& error, double largest_entry) {
  if (query.guarantee == compiler::Guarantee::kWorstCase) return;
  const double range = value_range(query, largest_entry);
  if (has_sampled_means(query)) {
    error.subgaussian_variance += range * range / 4;
  } else {
    error.bounded_variance += std::max(query.class_variance[0], query.class_variance[1]);
    error.bounded_radius = std::max(error.bounded_radius, range);
  }
}

// The clamp of a report turns noise N into N' with E e^{uN'} <= E e^{uN} + Pr[the clamp changes N] for u >= 0. This
// holds since a value that the clamp raises stays below 0. As E e^{uN} >= 1, ln E e^{uN'} exceeds ln E e^{uN} by at
// most this probability. The probability is below 2^-65 for all coordinates together.
ReportError report_error(const LaplaceChannel& channel, const compiler::LinearQuery& query) {
  ReportError error;
  error.slack = 0x1p-65;
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    error.noise.push_back({weight.value, channel.scale(weight.coordinate).approximate()});
  }
  add_instances(query, error, channel.largest_entry());
  return error;
}

// For a record x, let h(x) = offset + ⟨a(x), g⟩. The true mean of h over the class f = b is b + e_b, where b is 0 or 1.
// The bias of the estimate is ω·e_1 + (1-ω)·e_0, which is at most the larger |e_b| in size.
//
// Maurer and Pontil: let m independent numbers in an interval of length R have the sample variance V. With probability
// at most δ, the mean of these numbers is too small by more than √(2V·ln(2/δ)/m) + 7R·ln(2/δ)/(3(m-1)). Each side of
// each class gets a quarter of β, so ln(2/δ) = ln(8/β). The bound needs a g that does not depend on the m members: the
// direction of g comes from another sample, and the length of g scales both sides of the bound alike. In place of V,
// the code takes class_variance[b].
Result<double> class_mean_half_width(const compiler::LinearQuery& query, double beta) {
  const double logarithm = std::log(8 / beta);
  double largest = 0;
  for (std::size_t b = 0; b < 2; ++b) {
    if (query.class_members[b] == 0) continue;
    if (query.class_members[b] == 1) {
      return Error{ErrorCode::kInvalidArgument,
                   "the mean of a class comes from one sampled record, so its error is not known"};
    }
    const auto members = static_cast<double>(query.class_members[b]);
    largest = std::max(largest, std::sqrt(2 * query.class_variance[b] / members * logarithm) +
                                    7 * value_range(query) * logarithm / (3 * (members - 1)));
  }
  return largest;
}

}  // namespace hearsay::tails
