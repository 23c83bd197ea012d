#include "aggregator/central/audit/log_ratio.h"

#include <cmath>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"
#include "common/privacy/exponential.h"

namespace hearsay::central {
namespace {

const Rational kMostExponent = whole(64);

// Compares num/den with e^x, for x >= 0 of any size.
std::partial_ordering against_exp(Uint128 num, Uint128 den, const Rational& x) {
  if (x <= kMostExponent) return compare_with_exp(num, den, x);
  const bool below = compare_with_exp(num, den, kMostExponent) == std::partial_ordering::less;
  return below ? std::partial_ordering::less : std::partial_ordering::unordered;
}

}  // namespace

Result<SignedRational> difference(const Rational& a, const SignedRational& b) {
  if (b.negative) {
    HEARSAY_TRY(const Rational sum, a.plus(b.magnitude));
    return SignedRational{false, sum};
  }
  const Uint128 left = Uint128{a.num()} * b.magnitude.den();
  const Uint128 right = Uint128{b.magnitude.num()} * a.den();
  const WideFraction magnitude{left >= right ? left - right : right - left, Uint128{a.den()} * b.magnitude.den()};
  const auto narrowed = narrow(magnitude);
  if (!narrowed) return Error{ErrorCode::kOverflow, "a log-ratio is not a fraction of 64-bit integers"};
  return SignedRational{left < right, *narrowed};
}

double LogRatio::approximate() const {
  const auto relative = [](Uint128 large, Uint128 small) {
    return std::log1p(static_cast<long double>(large - small) / static_cast<long double>(small));
  };
  const long double log = ratio.num >= ratio.den ? relative(ratio.num, ratio.den) : -relative(ratio.den, ratio.num);
  return static_cast<double>(exact.approximate() + power * log);
}

// Compares power·ln(ratio) with bound - exact, by comparing ratio with e^{(bound - exact)/power}.
Result<std::partial_ordering> compare(const LogRatio& value, const Rational& bound) {
  HEARSAY_TRY(const SignedRational rest, difference(bound, value.exact));
  if (value.ratio.num == value.ratio.den) {
    if (rest.magnitude.num() == 0) return std::partial_ordering::equivalent;
    return rest.negative ? std::partial_ordering::greater : std::partial_ordering::less;
  }
  HEARSAY_TRY(const Rational exponent, rest.magnitude.divided_by(whole(value.power)));
  if (!rest.negative) return against_exp(value.ratio.num, value.ratio.den, exponent);
  const auto inverse = against_exp(value.ratio.den, value.ratio.num, exponent);
  if (inverse == std::partial_ordering::less) return std::partial_ordering::greater;
  if (inverse == std::partial_ordering::greater) return std::partial_ordering::less;
  return inverse;
}

}  // namespace hearsay::central
