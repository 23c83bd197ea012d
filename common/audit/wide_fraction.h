// Exact sums and comparisons of fractions beyond 64 bits.
#pragma once

#include <compare>
#include <optional>

#include "common/base/int128.h"
#include "common/base/rational.h"

namespace hearsay {

// num/den >= 0, den > 0, not necessarily in lowest terms.
struct WideFraction {
  Uint128 num = 0;
  Uint128 den = 1;
};

// Nothing on overflow.
std::optional<Uint128> checked_sum(Uint128 a, Uint128 b);
std::optional<Uint128> checked_product(Uint128 a, Uint128 b);
// Least common multiple of a, b > 0; nothing on overflow.
std::optional<Uint128> checked_lcm(Uint128 a, Uint128 b);

// Exact for all values; cannot overflow.
std::strong_ordering compare(WideFraction a, WideFraction b);

// The same number as a Rational, if one holds it.
std::optional<Rational> narrow(const WideFraction& fraction);
// A multiple of 2^-32 that is at least `fraction` and less than 2^-31 above it. Nothing if it is 2^31 or more.
std::optional<Rational> narrow_upwards(const WideFraction& fraction);
// The least multiple of 2^-32 that is certain to be at least the logarithm of a ratio from 1 to e^64.
Rational logarithm_upwards(const WideFraction& ratio);

}  // namespace hearsay
