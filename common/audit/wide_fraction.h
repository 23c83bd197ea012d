// Exact sums and comparisons of fractions beyond 64 bits.
#pragma once

#include <compare>
#include <optional>

#include "common/base/int128.h"
#include "common/base/rational.h"

namespace hearsay {

// num/den >= 0 with den > 0. Need not be in lowest terms.
struct WideFraction {
  Uint128 num = 0;
  Uint128 den = 1;
};

// Returns a + b, or nothing on overflow.
std::optional<Uint128> checked_sum(Uint128 a, Uint128 b);
std::optional<Uint128> checked_product(Uint128 a, Uint128 b);  // returns a·b, or nothing on overflow
// Returns the least common multiple of a, b > 0, or nothing on overflow.
std::optional<Uint128> checked_lcm(Uint128 a, Uint128 b);

// Compares exactly. Cannot overflow.
std::strong_ordering compare(WideFraction a, WideFraction b);

// Returns the same number as a Rational, if there is one.
std::optional<Rational> narrow(const WideFraction& fraction);
// Returns a multiple of 2^-32 that is at least `fraction` and less than 2^-31 above it. Returns nothing if this
// multiple would be 2^31 or more.
std::optional<Rational> narrow_upwards(const WideFraction& fraction);
// Returns the least multiple of 2^-32 that is certain to be at least the logarithm of `ratio`, which is from 1 to e^64.
Rational logarithm_upwards(const WideFraction& ratio);

}  // namespace hearsay
