#include "aggregator/tails/chernoff.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/aggregator/tails/discrete_laplace_sum.h"

namespace hearsay::tails {
namespace {

using tests::IntegerLaw;

ReportError noise(std::vector<LaplaceTerm> terms) {
  ReportError error;
  error.noise = std::move(terms);
  return error;
}

double variance(const ReportError& error) {
  double sum = error.bounded_variance + error.subgaussian_variance;
  for (const LaplaceTerm& term : error.noise) {
    sum += term.weight * term.weight * 0.5 / std::pow(std::sinh(0.5 / term.scale), 2);
  }
  return sum;
}

TEST_CASE("the generating function agrees with the sum over the law") {
  for (const double scale : {0.2, 1.0, 3.7, 40.0}) {
    for (const double share : {0.01, 0.3, 0.6}) {  // shares of the largest argument, 1/scale
      const double s = share / scale;
      double sum = 0;
      for (int y = static_cast<int>(400 * scale) + 400; y > 0; --y) {
        sum += std::exp(-y * (1 / scale - s)) + std::exp(-y * (1 / scale + s));
      }
      sum = std::tanh(0.5 / scale) * (1 + sum);
      CHECK(discrete_laplace_log_mgf(s, scale) == doctest::Approx(std::log(sum)).epsilon(1e-9));
      CHECK(discrete_laplace_log_mgf(-s, scale) == discrete_laplace_log_mgf(s, scale));
    }
  }
}

// Theorem 6 holds for the discrete law because of this inequality. Let M be the law's moment generating function at s,
// and t its scale. Then 1/M = 1 - (cosh s - 1)/(cosh(1/t) - 1) >= 1 - s²t², because (cosh s - 1)/s² grows with s and s
// <= 1/t.
TEST_CASE("the discrete generating function is at most the continuous one of the same scale") {
  for (double scale = 0.01; scale <= 1e6; scale *= 3.1) {
    for (double share = 1e-6; share < 1; share += 0.0217) {
      const double continuous = -std::log1p(-share * share);
      CHECK(discrete_laplace_log_mgf(share / scale, scale) <= continuous * (1 + 1e-9));
    }
    CHECK(discrete_laplace_log_mgf(1.01 / scale, scale) == std::numeric_limits<double>::infinity());
  }
  CHECK(discrete_laplace_log_mgf(0.5e-6, 1e6) == doctest::Approx(-std::log(0.75)).epsilon(1e-10));
}

TEST_CASE("the half-width holds at its confidence, by the exact law of the sum") {
  struct Case {
    int first, second;  // integer weights of the two coordinates; 0 means absent
    double scale;
  };
  for (const Case& c : {Case{1, 0, 0.3}, Case{1, 0, 4.0}, Case{1, 3, 1.5}, Case{2, 1, 0.6}}) {
    ReportError error = noise({{static_cast<double>(c.first), c.scale}});
    IntegerLaw one = IntegerLaw::laplace(c.scale, c.first);
    if (c.second != 0) {
      error.noise.push_back({static_cast<double>(-c.second), c.scale});
      one = one.plus(IntegerLaw::laplace(c.scale, c.second));
    }
    IntegerLaw sum = IntegerLaw::zero();
    for (std::uint64_t n = 1; n <= 6; ++n) {
      sum = sum.plus(one);
      for (const double beta : {0.5, 0.05, 1e-4, 1e-9}) {
        const double half_width = chernoff_half_width(error, n, beta).value();
        const double exact = 2 * sum.upper_tail(half_width * static_cast<double>(n));
        CHECK(exact <= beta);
        // For β < 0.1 and scales above 1, a half-width that is 2.1 times smaller would not hold.
        if (beta < 0.1 && c.scale > 1) CHECK(2 * sum.upper_tail(half_width / 2.1 * static_cast<double>(n)) > beta);
      }
    }
  }
}

TEST_CASE("the half-width is the minimum of its formula over the formula's argument") {
  for (const double scale : {0.01, 0.5, 16.0, 1e6}) {
    for (const double n : {1.0, 100.0, 1e9}) {
      const ReportError error = noise({{0.375, scale}, {-0.2, scale}});
      const double logarithm = std::log(2 / 0.05) / n;
      const double limit = 1 / (0.375 * scale);
      double least = std::numeric_limits<double>::infinity();
      for (double logit = -25; logit < 25; logit += 0.002) {  // steps are small near 0 and near the limit
        const double s = limit / (1 + std::exp(-logit));
        const double k = discrete_laplace_log_mgf(0.375 * s, scale) + discrete_laplace_log_mgf(0.2 * s, scale);
        least = std::min(least, (k + logarithm) / s);
      }
      const double found = chernoff_half_width(error, static_cast<std::uint64_t>(n), 0.05).value();
      CHECK(found <= least * (1 + 1e-8));
      CHECK(found >= least * (1 - 1e-5));  // the grid misses the minimum by the square of a step
    }
  }
}

// With many reports only the second moment V of the error matters, and the half-width is near √(2·V·ln(2/β)/n). This is
// √(2 ln(2/β))/z times the normal half-width.
TEST_CASE("with many reports the half-width approaches the Gaussian half-width") {
  ReportError error = noise({{0.375, 16}, {0.375, 16}});
  error.bounded_variance = 0.125;
  error.bounded_radius = 1.5;
  error.subgaussian_variance = 0.3;
  const double half_width = chernoff_half_width(error, 100'000'000, 0.05).value();
  CHECK(half_width == doctest::Approx(std::sqrt(2 * variance(error) * std::log(40.0) / 1e8)).epsilon(1e-6));
}

TEST_CASE("the half-width covers the bounded part of an error, by the exact binomial law") {
  // The bounded part is a coin of probability p = 0.1 minus p. It has the variance 0.09, and is at most 0.9 in size.
  // n·(mean + p) is Binomial(n, p).
  ReportError error;
  error.bounded_variance = 0.09;
  error.bounded_radius = 0.9;
  ReportError range_only;
  range_only.subgaussian_variance = 0.25;
  for (const int n : {10, 100, 400}) {
    for (const double beta : {0.3, 0.05, 1e-6}) {
      double widths[2];
      const ReportError* parts[] = {&error, &range_only};
      for (int which = 0; which < 2; ++which) {
        widths[which] = chernoff_half_width(*parts[which], static_cast<std::uint64_t>(n), beta).value();
        double outside = 0;
        for (int heads = 0; heads <= n; ++heads) {
          if (std::abs(heads / static_cast<double>(n) - 0.1) <= widths[which]) continue;
          outside += std::exp(std::lgamma(n + 1.0) - std::lgamma(heads + 1.0) - std::lgamma(n - heads + 1.0) +
                              heads * std::log(0.1) + (n - heads) * std::log(0.9));
        }
        CHECK(outside <= beta);
      }
      CHECK(widths[1] == doctest::Approx(std::sqrt(std::log(2 / beta) / (2.0 * n))).epsilon(1e-8));
      if (n == 400 && beta > 1e-3) CHECK(widths[0] < widths[1]);
    }
  }
}

TEST_CASE("the half-width is finite and monotone for all scales, reports and confidences") {
  for (const double scale : {0.01, 0.1, 1.0, 1e3, 1e6}) {
    ReportError error = noise({{-0.5, scale}, {1e-9, scale}, {0.0, scale}});
    error.bounded_variance = 1e-3;
    error.bounded_radius = 1.1;
    double above = std::numeric_limits<double>::infinity();
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000}, std::uint64_t{1} << 32U}) {
      double narrower = 0;
      for (const double beta : {1.0, 0.5, 1e-3, 1e-15, 1e-300}) {
        const double half_width = chernoff_half_width(error, n, beta).value();
        CHECK(std::isfinite(half_width));
        CHECK(half_width > narrower);
        narrower = half_width;
        if (beta == 1e-3) {
          CHECK(half_width < above);
          above = half_width;
        }
      }
    }
  }
}

TEST_CASE("an error without parts has the half-width 0, and slack only widens the interval") {
  CHECK(chernoff_half_width(ReportError{}, 5, 0.05).value() == 0);
  CHECK(chernoff_half_width(noise({{0.0, 3.0}}), 5, 0.05).value() == 0);
  ReportError error = noise({{1.0, 2.0}});
  const double plain = chernoff_half_width(error, 50, 0.05).value();
  error.slack = 0.01;
  CHECK(chernoff_half_width(error, 50, 0.05).value() > plain);
}

TEST_CASE("half-widths for no reports and for impossible confidences are refused") {
  const ReportError error = noise({{1.0, 2.0}});
  CHECK(chernoff_half_width(error, 0, 0.05).error().code == ErrorCode::kInvalidArgument);
  for (const double beta : {0.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(chernoff_half_width(error, 10, beta).error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay::tails
