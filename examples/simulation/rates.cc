#include "examples/simulation/rates.h"

#include <algorithm>
#include <cmath>

namespace hearsay::examples {

// (w - r·n)² <= z²·(V_w - 2r·C + r²·V_n) with w = with, n = all, C = Cov(w, n) = V_w + Cov(with, without).
std::optional<RateInterval> rate_interval(Fraction with, Fraction without, Fraction all, double quantile) {
  const auto variance = [](const Fraction& fraction) { return fraction.standard_error * fraction.standard_error; };
  const double shared = (variance(all) - variance(with) - variance(without)) / 2;
  const double covariance = variance(with) + shared;
  const double z = quantile * quantile;
  const double a = all.value * all.value - z * variance(all);
  const double b = with.value * all.value - z * covariance;
  const double c = with.value * with.value - z * variance(with);
  if (!(a > 0) || !(all.value > 0)) return std::nullopt;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  return RateInterval{(b - root) / a, (b + root) / a};
}

}  // namespace hearsay::examples
