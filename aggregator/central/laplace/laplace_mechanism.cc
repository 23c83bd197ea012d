// Symbols: t = S/ε = the noise's scale, q = e^{-1/t}, m = the bound on |Y|.

#include "aggregator/central/laplace/laplace_mechanism.h"

#include <algorithm>
#include <cmath>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr std::int64_t kLargest = BinaryGrid::kLargest;

}  // namespace

Rational exact(const Epsilon& epsilon) { return Rational::create(epsilon.num(), epsilon.den()).value(); }

Result<LaplaceMechanism> LaplaceMechanism::create(const Epsilon& epsilon, const Rational& sensitivity,
                                                  Neighbours neighbours) {
  HEARSAY_TRY(const Rational scale, sensitivity.divided_by(exact(epsilon)));
  HEARSAY_TRY(const DiscreteLaplace noise, DiscreteLaplace::create(scale));
  return LaplaceMechanism(epsilon, sensitivity, neighbours, noise);
}

// The noise, at most 2^62 in absolute value, has its exact law wherever clamping at 2^61 leaves a choice: the statistic
// is at most 2^61, and 2^61 + 2^61 = 2^62.
Result<std::int64_t> LaplaceMechanism::release(std::int64_t statistic, BitSource& bits) const {
  if (statistic < -kLargest || statistic > kLargest) {
    return Error{ErrorCode::kLimitExceeded, "a statistic exceeds 2^61"};
  }
  return std::clamp(statistic + noise_.sample(bits), -kLargest, kLargest);
}

Result<std::vector<std::int64_t>> LaplaceMechanism::release(std::span<const std::int64_t> statistic,
                                                            BitSource& bits) const {
  std::vector<std::int64_t> noisy;
  noisy.reserve(statistic.size());
  for (const std::int64_t coordinate : statistic) {
    HEARSAY_TRY(const std::int64_t value, release(coordinate, bits));
    noisy.push_back(value);
  }
  return noisy;
}

double LaplaceMechanism::standard_deviation() const { return std::sqrt(noise_.variance()); }

// Pr[|Y| > m] = 2q^{m+1}/(1+q) for m >= 0, and all d are at most m with probability (1 - Pr[|Y| > m])^d.
Result<std::uint64_t> LaplaceMechanism::error_bound(std::size_t coordinates, double beta) const {
  if (!(beta > 0 && beta < 1)) return Error{ErrorCode::kInvalidArgument, "beta must lie strictly in (0, 1)"};
  if (coordinates == 0) return Error{ErrorCode::kInvalidArgument, "an error bound needs at least one coordinate"};
  const double each = -std::expm1(std::log1p(-beta) / static_cast<double>(coordinates));
  const double t = scale().approximate();
  // ln(2/each) as a difference: 2/each overflows for the smallest beta.
  const double steps = std::ceil(t * (std::log(2.0) - std::log(each) - std::log1p(std::exp(-1 / t))));
  return static_cast<std::uint64_t>(std::max(steps, 1.0)) - 1;
}

Result<std::uint64_t> people_for(std::uint64_t bound, double alpha) {
  if (!(alpha > 0 && alpha < 1)) return Error{ErrorCode::kInvalidArgument, "alpha must lie strictly in (0, 1)"};
  const double people = std::ceil(static_cast<double>(bound) / alpha);
  if (people > kMostPeople) return Error{ErrorCode::kOverflow, "more than 2^53 people would be needed"};
  return static_cast<std::uint64_t>(std::max(people, 1.0));
}

}  // namespace hearsay::central
