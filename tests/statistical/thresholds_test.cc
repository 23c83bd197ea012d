// Tests the thresholds of the statistical tests against their definitions.

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

#include "tests/support/statistics.h"

namespace hearsay::tests {
namespace {

double two_sided_tail(double z) { return std::erfc(z / std::sqrt(2)); }

TEST_CASE("a normal threshold has the stated tail probability") {
  for (const double alpha : {0.3, 0.05, 1e-3, 1e-7, 1e-12}) {
    CHECK(two_sided_tail(normal_threshold(alpha)) == doctest::Approx(alpha).epsilon(1e-9).scale(0));
  }
}

TEST_CASE("a chi-square threshold has the stated tail probability") {
  for (const double alpha : {0.05, 1e-3, 1e-7}) {
    // χ² with one degree of freedom is a squared normal; with two degrees χ² is exponential with mean 2.
    CHECK(chi_square_threshold(1, alpha) == doctest::Approx(std::pow(normal_threshold(alpha), 2)).epsilon(1e-9));
    CHECK(chi_square_threshold(2, alpha) == doctest::Approx(-2 * std::log(alpha)).epsilon(1e-9));
  }
}

TEST_CASE("a binomial band keeps its budget on either side and is at most one unit too wide") {
  constexpr int kN = 200;
  const auto probability = [](int k, double p) {
    return std::exp(std::lgamma(kN + 1.0) - std::lgamma(k + 1.0) - std::lgamma(kN - k + 1.0) + k * std::log(p) +
                    (kN - k) * std::log1p(-p));
  };
  for (const double p : {0.01, 0.3, 0.5, 0.95}) {
    for (const double alpha : {0.05, 1e-4, 1e-9}) {
      CAPTURE(p);
      CAPTURE(alpha);
      const Band band = binomial_band(kN, p, alpha);
      CHECK(band.contains(band.low));
      CHECK(band.contains(band.high));
      CHECK_FALSE(band.contains(band.high + 1));
      double below = 0;
      for (int k = 0; k < static_cast<int>(band.low); ++k) below += probability(k, p);
      double above = 0;
      for (int k = kN; k > static_cast<int>(band.high); --k) above += probability(k, p);
      CHECK(below <= alpha / 2);
      CHECK(above <= alpha / 2);
      // Boost rounds outwards, so an end may be one unit further out than needed.
      CHECK(below + probability(static_cast<int>(band.low), p) + probability(static_cast<int>(band.low) + 1, p) >
            alpha / 2);
      CHECK(above + probability(static_cast<int>(band.high), p) + probability(static_cast<int>(band.high) - 1, p) >
            alpha / 2);
    }
  }
}

TEST_CASE(
    "without skewness the Cramér threshold is the normal one, and for skewed draws it keeps its tail probability") {
  CHECK(cramer_threshold(1e-7, 100, 0, 0) == doctest::Approx(normal_threshold(1e-7)).epsilon(1e-9));
  // The sum of n exponentials (skewness 2, excess kurtosis 6) is Gamma: Pr[sum > x] = exp(-x)·Σ_{k<n} x^k/k!.
  constexpr int kN = 1000;
  for (const double alpha : {1e-4, 1e-7, 1e-9}) {
    CAPTURE(alpha);
    const double z = cramer_threshold(alpha, kN, 2, 6);
    const double x = kN + z * std::sqrt(kN);
    double upper = 0;
    for (int k = 0; k < kN; ++k) upper += std::exp(-x + k * std::log(x) - std::lgamma(k + 1.0));
    CHECK(upper <= alpha / 2);
    // The threshold is not much too large. The omitted factor is exp(-3κ₃²z⁴/(24n)).
    CHECK(upper > alpha / 2 * std::exp(-12 * std::pow(z, 4) / (24.0 * kN)) * 0.8);
    CHECK(z > normal_threshold(alpha) * 1.01);  // the normal threshold would be too low
  }
}

}  // namespace
}  // namespace hearsay::tests
