// Intervals of non-negative reals with every operation rounded outwards.
#pragma once

#include <cstdint>

#include "common/audit/wide_fraction.h"
#include "common/base/rational.h"

namespace hearsay::central {

// [low, high], 0 <= low <= high. IEEE sums, products and quotients are the nearest ones; one step outwards from there
// encloses the true ones.
struct Interval {
  long double low = 0;
  long double high = 0;
};

Interval operator+(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
// a/b for b.low > 0.
Interval operator/(const Interval& a, const Interval& b);
// 1 - a for a within [0, 1].
Interval one_minus(const Interval& a);
Interval exactly(std::uint64_t value);

// e^-x, from certified integer bounds up to 64 and as [0, e^-64] beyond.
Interval exp_minus(const Rational& x);

// A fraction that is certainly not above a/b, and one not below it. For a, b within [2^-40, 2^20].
WideFraction quotient_below(const Interval& a, const Interval& b);
WideFraction quotient_above(const Interval& a, const Interval& b);

}  // namespace hearsay::central
