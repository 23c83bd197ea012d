#include "aggregator/central/calibration.h"

#include <algorithm>

#include "common/base/try.h"

namespace hearsay::central {

Rational whole(std::uint64_t number) { return Rational::create(number, 1).value(); }

Rational exact(const Epsilon& epsilon) { return Rational::create(epsilon.num(), epsilon.den()).value(); }

// Numerators are at most 64·10^6 and denominators at most 10^6, so the products fit into 64 bits.
Result<Rational> rest_of(const Epsilon& budget, const Epsilon& part) {
  const std::uint64_t minuend = budget.num() * part.den();
  const std::uint64_t subtrahend = part.num() * budget.den();
  if (subtrahend >= minuend) {
    return Error{ErrorCode::kInvalidArgument, "a part of the privacy budget must be below the whole"};
  }
  return Rational::create(minuend - subtrahend, budget.den() * part.den());
}

Result<DiscreteLaplace> calibrated_noise(const Rational& sensitivity, const Rational& epsilon) {
  HEARSAY_TRY(const Rational scale, sensitivity.divided_by(epsilon));
  return DiscreteLaplace::create(scale);
}

// |clamped statistic| <= 2^61 and |Y| <= 2^62, so the sum fits into 64 bits.
std::int64_t with_noise(std::int64_t statistic, const DiscreteLaplace& noise, BitSource& bits) {
  const std::int64_t clamped = std::clamp(statistic, -kLargestStatistic, kLargestStatistic);
  return std::clamp(clamped + noise.sample(bits), -kLargestStatistic, kLargestStatistic);
}

// Pr[|Y| > m] = 2q^{m+1}/(1+q) for m >= 0.
double largest_noise(const DiscreteLaplace& noise, double log_chance) {
  const double t = noise.scale().approximate();
  const double steps = std::ceil(t * (std::log(2.0) - log_chance - std::log1p(std::exp(-1 / t))));
  return std::max(steps, 1.0) - 1;
}

Result<std::uint64_t> record_count(double bound) {
  const double records = std::ceil(bound);
  if (!(records <= kMostRecords))
    return Error{ErrorCode::kOverflow,
                 "more than 2^53 records would be needed: allow a larger error, or take a larger epsilon"};
  return static_cast<std::uint64_t>(std::max(records, 1.0));
}

}  // namespace hearsay::central
