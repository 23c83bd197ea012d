#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "aggregator/tails/distributions.h"

namespace hearsay::tails {
namespace {

double binomial_tail(std::uint64_t n, std::uint64_t from, double p) {
  double sum = 0;
  const auto trials = static_cast<double>(n);
  for (std::uint64_t k = from; k <= n; ++k) {
    const auto hits = static_cast<double>(k);
    sum += std::exp(std::lgamma(trials + 1) - std::lgamma(hits + 1) - std::lgamma(trials - hits + 1) +
                    hits * std::log(p) + (trials - hits) * std::log1p(-p));
  }
  return sum;
}

double normal_upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

TEST_CASE("normal quantiles invert the error function") {
  CHECK(normal_upper_quantile(0.025).value() == doctest::Approx(1.959963984540054).epsilon(1e-14));
  for (const double z : {0.0, 1.5, 8.0, 20.0}) {
    CHECK(normal_upper_quantile(normal_upper_tail(z)).value() == doctest::Approx(z).epsilon(1e-12));
  }
  for (const double bad : {0.0, 1.0, -0.5, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(normal_upper_quantile(bad).error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("at a Clopper-Pearson bound the exact tail equals the error probability") {
  for (const double error : {0.025, 1e-6}) {
    for (const std::uint64_t hits : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{49}}) {
      const ProportionBounds bounds = clopper_pearson(hits, 50, error).value();
      CHECK(binomial_tail(50, hits, bounds.low) == doctest::Approx(error).epsilon(1e-9));
      CHECK(1 - binomial_tail(50, hits + 1, bounds.high) == doctest::Approx(error).epsilon(1e-6));
      CHECK(bounds.low < static_cast<double>(hits) / 50);
      CHECK(bounds.high > static_cast<double>(hits) / 50);
    }
  }
}

TEST_CASE("Clopper-Pearson bounds have a closed form if no trial or every trial succeeds") {
  const ProportionBounds none = clopper_pearson(0, 2000, 1e-9).value();
  CHECK(none.low == 0);
  CHECK(none.high == doctest::Approx(1 - std::pow(1e-9, 1 / 2000.0)).epsilon(1e-9));
  const ProportionBounds all = clopper_pearson(2000, 2000, 1e-9).value();
  CHECK(all.high == 1);
  CHECK(all.low == doctest::Approx(std::pow(1e-9, 1 / 2000.0)).epsilon(1e-9));
}

TEST_CASE("impossible counts and error probabilities are refused") {
  CHECK(clopper_pearson(0, 0, 0.05).error().code == ErrorCode::kInvalidArgument);
  CHECK(clopper_pearson(3, 2, 0.05).error().code == ErrorCode::kInvalidArgument);
  for (const double bad : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(clopper_pearson(1, 2, bad).error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("the tail of χ² agrees with its closed forms") {
  for (const double value : {0.1, 1.0, 3.84, 20.0, 90.0, 300.0}) {
    CAPTURE(value);
    const double half = value / 2;
    // With one degree χ² is the square of a normal variable. With two degrees χ² is exponential. With six degrees its
    // tail is the probability of at most two events of a Poisson process.
    CHECK(chi_square_upper_tail(value, 1) ==
          doctest::Approx(2 * normal_upper_tail(std::sqrt(value))).scale(0).epsilon(1e-9));
    CHECK(chi_square_upper_tail(value, 2) == doctest::Approx(std::exp(-half)).scale(0).epsilon(1e-12));
    CHECK(chi_square_upper_tail(value, 6) ==
          doctest::Approx(std::exp(-half) * (1 + half + half * half / 2)).scale(0).epsilon(1e-12));
  }
}

TEST_CASE("the tail of χ² is right for extreme values and degrees") {
  CHECK(chi_square_upper_tail(0, 3) == 1);
  CHECK(chi_square_upper_tail(-1e-12, 3) == 1);
  CHECK(chi_square_upper_tail(1e6, 3) == 0);
  CHECK(chi_square_upper_tail(std::numeric_limits<double>::infinity(), 1) == 0);
  CHECK(std::abs(chi_square_upper_tail(65'535 - 2.0 / 3, 65'535) - 0.5) < 1e-4);
}

}  // namespace
}  // namespace hearsay::tails
