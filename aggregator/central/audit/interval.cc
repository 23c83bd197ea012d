#include "aggregator/central/audit/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/central/calibration.h"
#include "common/privacy/exponential.h"

namespace hearsay::central {
namespace {

long double down(long double x) { return std::max(0.0L, std::nextafter(x, 0.0L)); }
long double up(long double x) { return std::nextafter(x, std::numeric_limits<long double>::infinity()); }

// The units of the integers below: x becomes x·2^100, for x <= 2^20.
constexpr int kUnitBits = 100;
Uint128 integer_below(long double x) { return static_cast<Uint128>(std::floor(std::ldexp(x, kUnitBits))); }
Uint128 integer_above(long double x) { return static_cast<Uint128>(std::ceil(std::ldexp(x, kUnitBits))); }

}  // namespace

Interval operator+(const Interval& a, const Interval& b) { return {down(a.low + b.low), up(a.high + b.high)}; }
Interval operator*(const Interval& a, const Interval& b) { return {down(a.low * b.low), up(a.high * b.high)}; }
Interval operator/(const Interval& a, const Interval& b) { return {down(a.low / b.high), up(a.high / b.low)}; }
Interval one_minus(const Interval& a) { return {a.high >= 1 ? 0 : down(1 - a.high), a.low == 1 ? 0 : up(1 - a.low)}; }

Interval exactly(std::uint64_t value) {
  const auto nearest = static_cast<long double>(value);
  return {down(nearest), up(nearest)};
}

Interval exp_minus(const Rational& x) {
  static const Rational kLargest = whole(64);
  if (x.num() == 0) return {1, 1};
  const ExpMinusEnclosure bounds = enclose_exp_minus(std::min(x, kLargest));
  const auto real = [](Uint128 units) {
    return std::ldexp(static_cast<long double>(units), -static_cast<int>(ExpMinusEnclosure::kFractionBits));
  };
  return {x > kLargest ? 0 : down(real(bounds.lower)), up(real(bounds.upper))};
}

WideFraction quotient_below(const Interval& a, const Interval& b) {
  return {integer_below(a.low), integer_above(b.high)};
}
WideFraction quotient_above(const Interval& a, const Interval& b) {
  return {integer_above(a.high), integer_below(b.low)};
}

}  // namespace hearsay::central
