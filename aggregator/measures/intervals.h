// Intervals of functions of estimates.
#pragma once

#include "aggregator/measures/answer.h"

namespace hearsay::measures {

// Returns the interval from minus to plus infinity.
Interval unbounded();
bool is_bounded(const Interval& interval);

// Two estimates whose joint law is about normal.
struct Pair {
  double first;
  double second;
  double first_variance;
  double second_variance;
  double covariance;
};

// Returns Fieller's interval of first/second: the θ with |first - θ·second| <= quantile·(its standard error) (Fieller
// 1954). It covers as often as the normal law of first - θ·second says, however near `second` is to 0. It is unbounded
// if `second` is within quantile standard errors of 0.
Interval fieller(const Pair& pair, double quantile);

// Returns the interval of first - second by recovery of variances (MOVER; Zou and Donner 2008). `first` and `second`
// are intervals of each that cover equally often. If both are symmetric, the result is the normal interval of the
// difference. A variance of 0 has no correlation.
Interval recovered(const Pair& pair, const Interval& first, const Interval& second);

// Return what x - y and x/y may be for x and y in their intervals. The ratio is unbounded if y's interval holds 0.
Interval difference(const Interval& x, const Interval& y);
Interval ratio(const Interval& x, const Interval& y);

}  // namespace hearsay::measures
