// Computes intervals of differences and ratios of estimates.
#pragma once

#include "aggregator/measures/answer.h"

namespace hearsay::measures {

// Returns the interval from minus to plus infinity.
Interval unbounded();
bool is_bounded(const Interval& interval);

// Two estimates whose joint law is approximately normal.
struct Pair {
  double first;
  double second;
  double first_variance;
  double second_variance;
  double covariance;
};

// Returns Fieller's interval of first/second (Fieller 1954): the θ for which |first - θ·second| is at most `quantile`
// standard errors of first - θ·second. The coverage does not depend on how near `second` is to 0. The interval is
// unbounded if `second` is within `quantile` standard errors of 0.
Interval fieller(const Pair& pair, double quantile);

// Returns the interval of first - second by the method of variance estimates recovery (MOVER; Zou and Donner 2008).
// `first` and `second` are intervals of the two estimates with the same confidence. If both are symmetric, the result
// is the normal interval of the difference. If a variance is 0, the correlation counts as 0.
Interval recovered(const Pair& pair, const Interval& first, const Interval& second);

// Returns the interval of all x - y, for x and y in the given intervals.
Interval difference(const Interval& x, const Interval& y);
// Returns the interval of all x/y, for x and y in the given intervals. The interval is unbounded if `x` or `y` has an
// infinite end, or if `y` contains 0.
Interval ratio(const Interval& x, const Interval& y);

}  // namespace hearsay::measures
