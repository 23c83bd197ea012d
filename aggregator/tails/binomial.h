// Exact confidence bounds for a probability from a number of successes.
#pragma once

#include <cstdint>

#include "hearsay/result.h"

namespace hearsay::tails {

struct ProportionBounds {
  double low;
  double high;
};

// Clopper and Pearson 1934: each bound alone is on the wrong side of the true probability with probability at most
// `error`, for independent trials and every true probability. 0 successes give low = 0, all successes high = 1.
// Errors: kInvalidArgument unless 0 < error < 1, trials >= 1 and successes <= trials.
Result<ProportionBounds> clopper_pearson(std::uint64_t successes, std::uint64_t trials, double error);

}  // namespace hearsay::tails
