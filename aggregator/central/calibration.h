// Turns a sensitivity and ε into noise, and noise into tail bounds.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/privacy/discrete_laplace.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

inline constexpr double kMostRecords = 0x1p53;  // a double holds every integer up to this number exactly

// Mechanisms clamp statistics to ±kLargestStatistic before they add noise, and clamp the answers afterwards.
inline constexpr std::int64_t kLargestStatistic = std::int64_t{1} << 61U;

// Return the argument as an exact fraction.
Rational whole(std::uint64_t number);
Rational exact(const Epsilon& epsilon);

// Returns budget - part. Errors: kInvalidArgument unless part < budget.
Result<Rational> rest_of(const Epsilon& budget, const Epsilon& part);

// Returns noise of scale sensitivity/ε. If an integer statistic has this L1 sensitivity, independent noise on each
// coordinate makes the release ε-differentially private. Errors: kInvalidArgument (either argument is 0); kOverflow;
// kScaleTooLarge (discrete_laplace.h).
Result<DiscreteLaplace> calibrated_noise(const Rational& sensitivity, const Rational& epsilon);

// Returns clamp(clamp(statistic) + Y), where Y is the noise and clamp() cuts at ±kLargestStatistic. Refuses no
// statistic, since a refusal would tell about the data. Clamping moves no two statistics further apart, so the
// sensitivity does not grow. A statistic beyond ±kLargestStatistic gives an answer that is wrong by the excess. The
// sampler cuts its noise at ±2^62 (discrete_laplace.h); after the outer clamp, the result has the same law as with
// unbounded noise. Throws EntropyError.
std::int64_t with_noise(std::int64_t statistic, const DiscreteLaplace& noise, BitSource& bits);

// Returns the least m >= 0 with Pr[|Y| > m] <= exp(log_chance), where Y is the noise and log_chance < 0. The formula is
// m + 1 = ⌈t·(ln 2 - ln(1+q) - log_chance)⌉, where t is the scale and q = e^{-1/t}. Computed in doubles, so the result
// can exceed 2^64.
double largest_noise(const DiscreteLaplace& noise, double log_chance);

// Returns Pr[Y >= y] for the noise Y. For y >= 1 this is q^y/(1+q), where q = e^{-1/t} and t is the scale. For y <= 0
// this is 1 - Pr[Y >= 1 - y].
template <class Real>
Real upper_tail(const DiscreteLaplace& noise, std::int64_t y) {
  const Real rate = static_cast<Real>(noise.scale().den()) / static_cast<Real>(noise.scale().num());
  const auto tail = [rate](std::int64_t from) {
    return std::exp(-rate * static_cast<Real>(from)) / (1 + std::exp(-rate));
  };
  return y >= 1 ? tail(y) : 1 - tail(1 - y);
}

// Returns ⌈bound⌉ records, at least 1. Errors: kOverflow above kMostRecords.
Result<std::uint64_t> record_count(double bound);

}  // namespace hearsay::central
