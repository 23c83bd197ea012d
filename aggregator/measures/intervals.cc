#include "aggregator/measures/intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearsay::measures {

Interval unbounded() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {-kInfinity, kInfinity};
}

bool is_bounded(const Interval& interval) { return std::isfinite(interval.low) && std::isfinite(interval.high); }

// Returns the solutions θ of a·θ² - 2b·θ + c <= 0.
Interval fieller(const Pair& pair, double quantile) {
  const double square = quantile * quantile;
  const double a = pair.second * pair.second - square * pair.second_variance;
  const double b = pair.first * pair.second - square * pair.covariance;
  const double c = pair.first * pair.first - square * pair.first_variance;
  if (!(a > 0)) return unbounded();
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  return {(b - root) / a, (b + root) / a};
}

Interval recovered(const Pair& pair, const Interval& first, const Interval& second) {
  if (!is_bounded(first) || !is_bounded(second)) return unbounded();
  const double product = std::sqrt(pair.first_variance * pair.second_variance);
  const double correlation = product > 0 ? std::clamp(pair.covariance / product, -1.0, 1.0) : 0;
  const auto distance = [&](double x, double y) {
    return std::sqrt(std::max(0.0, x * x + y * y - 2 * correlation * x * y));
  };
  const double value = pair.first - pair.second;
  return {value - distance(pair.first - first.low, second.high - pair.second),
          value + distance(first.high - pair.first, pair.second - second.low)};
}

Interval difference(const Interval& x, const Interval& y) { return {x.low - y.high, x.high - y.low}; }

Interval ratio(const Interval& x, const Interval& y) {
  if (!is_bounded(x) || !is_bounded(y) || (y.low <= 0 && y.high >= 0)) return unbounded();
  const auto [low, high] = std::minmax({x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high});
  return {low, high};
}

}  // namespace hearsay::measures
