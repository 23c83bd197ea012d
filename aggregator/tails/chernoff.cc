// Symbols: t = scale, n = reports, β = beta, K = log_mgf(), L = ln(2/β)/n.

#include "aggregator/tails/chernoff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace hearsay::tails {
namespace {

// Returns e^u - 1 - u for u >= 0. Below 0.01 uses the power series, since the difference would lose digits. The first
// omitted term is below 1e-17 of the sum.
double exp_minus_line(double u) {
  if (u >= 0.01) return std::expm1(u) - u;
  return u * u / 2 * (1 + u / 3 * (1 + u / 4 * (1 + u / 5 * (1 + u / 6 * (1 + u / 7 * (1 + u / 8))))));
}

double log_mgf(const ReportError& error, double s) {
  double sum = error.slack + s * s * error.subgaussian_variance / 2;
  if (error.bounded_variance > 0) {
    // Bennett: E e^{sZ} <= 1 + (σ²/r²)(e^{sr} - 1 - sr) for E Z = 0, Z <= r, Var Z <= σ².
    const double radius = error.bounded_radius;
    sum += error.bounded_variance * exp_minus_line(s * radius) / (radius * radius);
  }
  for (const LaplaceTerm& term : error.noise) sum += discrete_laplace_log_mgf(s * term.weight, term.scale);
  return sum;
}

// Returns an upper bound on the s that minimises (K(s) + L)/s. The bound is infinite if the error has no parts.
double largest_argument(const ReportError& error, double logarithm) {
  double limit = std::numeric_limits<double>::infinity();
  for (const LaplaceTerm& term : error.noise) {
    if (term.weight != 0) limit = std::min(limit, 1 / (term.scale * std::abs(term.weight)));
  }
  // K grows at least as fast as its bounded part. Once the bounded part is far above L, the slope of K exceeds (K +
  // L)/s, so the minimum lies at a smaller s.
  if (error.bounded_variance > 0) {
    const double radius = error.bounded_radius;
    limit = std::min(limit, (10 + 4 * std::log1p(logarithm * radius * radius / error.bounded_variance)) / radius);
  }
  if (error.subgaussian_variance > 0) limit = std::min(limit, 4 * std::sqrt(logarithm / error.subgaussian_variance));
  return limit;
}

}  // namespace

// With a = |s|/2 and b = 1/(2t), the generating function M satisfies 1/M = 1 - (sinh a / sinh b)². Scaled exponentials
// avoid overflow for small t, and cancellation for large t.
double discrete_laplace_log_mgf(double s, double scale) {
  const double a = std::abs(s) / 2;
  const double b = 0.5 / scale;
  if (a >= b) return std::numeric_limits<double>::infinity();
  const double quotient = std::exp(a - b) * std::expm1(-2 * a) / std::expm1(-2 * b);
  return -std::log1p(-quotient * quotient);
}

Result<double> chernoff_half_width(const ReportError& error, std::uint64_t reports, double beta) {
  if (reports == 0) return Error{ErrorCode::kInvalidArgument, "a bound needs at least one report"};
  if (!(beta > 0 && beta <= 1)) return Error{ErrorCode::kInvalidArgument, "beta must lie in (0, 1]"};
  const double logarithm = (std::numbers::ln2 - std::log(beta)) / static_cast<double>(reports);
  const double limit = largest_argument(error, logarithm);
  // The error has no parts, so it is 0.
  if (!std::isfinite(limit)) return 0.0;

  // K is convex and K(0) >= 0, so (K(s) + L)/s falls and then rises. A golden section search on ln s finds the minimum.
  const auto half_width = [&](double log_s) {
    const double s = std::exp(log_s);
    return (log_mgf(error, s) + logarithm) / s;
  };
  constexpr double kLogSpan = 40;  // the search assumes that the best s is above limit·e^-40
  constexpr double kGolden = 1 / std::numbers::phi;
  double high = std::log(limit);
  double low = high - kLogSpan;
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = half_width(left);
  double at_right = half_width(right);
  while (high - low > 1e-5) {  // near the minimum, an error of 1e-5 in ln s changes the result by about 1e-10 of itself
    if (at_left <= at_right) {  // true also if both are infinite
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = half_width(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = half_width(right);
    }
  }
  return std::min(at_left, at_right) * (1 + 1e-9);
}

}  // namespace hearsay::tails
