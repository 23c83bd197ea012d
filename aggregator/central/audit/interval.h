// Intervals of non-negative reals with every operation rounded outwards.
#pragma once

#include <cstdint>

#include "common/audit/wide_fraction.h"
#include "common/base/rational.h"

namespace hearsay::central {

// An interval [low, high] with 0 <= low <= high. IEEE sums, products and quotients are rounded to nearest, so one step
// outwards encloses the true result.
struct Interval {
  long double low = 0;
  long double high = 0;
};

Interval operator+(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
// Returns a/b. b.low must be above 0.
Interval operator/(const Interval& a, const Interval& b);
// Returns 1 - a, for a within [0, 1].
Interval one_minus(const Interval& a);
Interval exactly(std::uint64_t value);

// Returns e^-x: from certified integer bounds for x <= 64, and [0, e^-64] for larger x.
Interval exp_minus(const Rational& x);

// Return a fraction that is certainly at most a/b, and a fraction that is certainly at least a/b. a and b must lie
// within [2^-40, 2^20].
WideFraction quotient_below(const Interval& a, const Interval& b);
WideFraction quotient_above(const Interval& a, const Interval& b);

}  // namespace hearsay::central
