#include "aggregator/tails/chi_square.h"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace hearsay::tails {

double chi_square_upper_tail(double value, double degrees) {
  if (!(value > 0)) return 1;
  if (std::isinf(value)) return 0;
  using boost::math::policies::errno_on_error;
  using boost::math::policies::policy;
  using boost::math::policies::underflow_error;
  return boost::math::gamma_q(degrees / 2, value / 2, policy<underflow_error<errno_on_error>>());
}

}  // namespace hearsay::tails
