// Intervals of functions of estimates.
#pragma once

#include "aggregator/measures/answer.h"

namespace hearsay::measures {

// From minus to plus infinity.
Interval unbounded();
bool is_bounded(const Interval& interval);

// Two estimates that are jointly about normal.
struct Pair {
  double first;
  double second;
  double first_variance;
  double second_variance;
  double covariance;
};

// The θ with |first - θ·second| <= quantile·(its standard error): Fieller's interval of first/second (Fieller 1954).
// Covers as often as the normal law of first - θ·second says, however near to 0 `second` is. Unbounded where `second`
// is within quantile standard errors of 0.
Interval fieller(const Pair& pair, double quantile);

// The interval of first - second from an interval of each that covers equally often, by recovery of variances (MOVER;
// Zou and Donner 2008). Symmetric intervals of both give the normal interval of the difference. Variances that are 0
// have no correlation.
Interval recovered(const Pair& pair, const Interval& first, const Interval& second);

// What x - y and x/y may be for x and y in their intervals. The ratio is unbounded if 0 lies in y's.
Interval difference(const Interval& x, const Interval& y);
Interval ratio(const Interval& x, const Interval& y);

}  // namespace hearsay::measures
