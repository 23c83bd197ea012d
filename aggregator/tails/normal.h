// The standard normal law.
#pragma once

#include "hearsay/result.h"

namespace hearsay::tails {

// Pr[N(0,1) > z], for any finite z.
double normal_upper_tail(double z);

// The z with Pr[N(0,1) > z] = p; p = 0.025 gives 1.96. Errors: kInvalidArgument unless 0 < p < 1.
Result<double> normal_upper_quantile(double p);

}  // namespace hearsay::tails
