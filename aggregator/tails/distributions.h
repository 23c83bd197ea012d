// Computes tails and quantiles of standard probability laws.
#pragma once

#include <cstdint>

#include "hearsay/result.h"

namespace hearsay::tails {

// Returns the z with Pr[N(0,1) > z] = p. p = 0.025 gives 1.96. Errors: kInvalidArgument unless 0 < p < 1.
Result<double> normal_upper_quantile(double p);

// Returns Pr[χ²(degrees) > value], which is 1 for value <= 0. `degrees` must be positive and finite.
double chi_square_upper_tail(double value, double degrees);

struct ProportionBounds {
  double low;
  double high;
};

// Returns exact confidence bounds for a probability, given a number of successes in independent trials (Clopper and
// Pearson 1934). The true probability is below `low` with probability at most `error`, and above `high` with
// probability at most `error`. Without successes, low = 0. If all trials are successes, high = 1. Errors:
// kInvalidArgument unless 0 < error < 1, trials >= 1 and successes <= trials.
Result<ProportionBounds> clopper_pearson(std::uint64_t successes, std::uint64_t trials, double error);

}  // namespace hearsay::tails
