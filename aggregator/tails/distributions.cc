#include "aggregator/tails/distributions.h"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace hearsay::tails {

Result<double> normal_upper_quantile(double p) {
  if (!(p > 0 && p < 1)) return Error{ErrorCode::kInvalidArgument, "a tail probability must lie strictly in (0, 1)"};
  return quantile(complement(boost::math::normal_distribution<double>(), p));
}

double chi_square_upper_tail(double value, double degrees) {
  if (!(value > 0)) return 1;
  if (std::isinf(value)) return 0;
  using boost::math::policies::errno_on_error;
  using boost::math::policies::policy;
  using boost::math::policies::underflow_error;
  return boost::math::gamma_q(degrees / 2, value / 2, policy<underflow_error<errno_on_error>>());
}

// The lower bound is the p at which `successes` or more happen with probability `error`: a quantile of Beta(successes,
// trials - successes + 1). The upper bound follows by exchanging successes and failures.
Result<ProportionBounds> clopper_pearson(std::uint64_t successes, std::uint64_t trials, double error) {
  if (!(error > 0 && error < 1)) return Error{ErrorCode::kInvalidArgument, "the error must lie strictly in (0, 1)"};
  if (trials == 0 || successes > trials) {
    return Error{ErrorCode::kInvalidArgument, "there must be a trial, and at most one success a trial"};
  }
  const auto hits = static_cast<double>(successes);
  const auto misses = static_cast<double>(trials - successes);
  ProportionBounds bounds{0, 1};
  if (successes > 0) bounds.low = quantile(boost::math::beta_distribution<double>(hits, misses + 1), error);
  if (successes < trials) {
    bounds.high = quantile(complement(boost::math::beta_distribution<double>(hits + 1, misses), error));
  }
  return bounds;
}

}  // namespace hearsay::tails
