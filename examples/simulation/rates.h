// Rates with intervals, from the private estimates of their two parts.
#pragma once

#include <optional>

namespace hearsay::examples {

// An estimated fraction of the reporters with its standard error.
struct Fraction {
  double value;
  double standard_error;
};

struct RateInterval {
  double low;
  double high;
  bool contains(double rate) const { return low <= rate && rate <= high; }
};

// The fraction `with`/`all`, all = with + without. Fieller's interval (1954): the rates r for which with·(1-r) -
// without·r lies within `quantile` of its standard errors of 0. The covariance of `with` and `without` follows from the
// standard error of `all`. Nothing where `all` is not certainly above 0: then every rate is possible.
std::optional<RateInterval> rate_interval(Fraction with, Fraction without, Fraction all, double quantile);

}  // namespace hearsay::examples
