#include "aggregator/tails/normal.h"

#include <boost/math/distributions/normal.hpp>

namespace hearsay::tails {

double normal_upper_tail(double z) { return cdf(complement(boost::math::normal_distribution<double>(), z)); }

Result<double> normal_upper_quantile(double p) {
  if (!(p > 0 && p < 1)) return Error{ErrorCode::kInvalidArgument, "a tail probability must lie strictly in (0, 1)"};
  return quantile(complement(boost::math::normal_distribution<double>(), p));
}

}  // namespace hearsay::tails
