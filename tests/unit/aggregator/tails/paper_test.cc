#include "aggregator/tails/paper.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/paper_bounds.h"
#include "tests/unit/aggregator/tails/discrete_laplace_sum.h"

namespace hearsay::tails {
namespace {

using tests::equation20_users;
using tests::theorem6_tail;

PaperScheme printed(double d, double epsilon, double margin) { return {2 * std::sqrt(d) / epsilon, margin}; }

// Returns the printed failure probability at the end of Theorem 7's proof, with both tails. Like the paper, this leaves
// out the case that Theorem 6 does not apply.
double both_tails(double d, double epsilon, double margin, double alpha, double n) {
  const double reach = alpha * margin;
  return 2 * std::exp(-reach * reach * n / 2) + 2 * std::exp(-reach * reach * epsilon * epsilon * n / (32 * d));
}

TEST_CASE("Theorem 6 bounds the exact tail of sums of discrete Laplace noise") {
  for (const double scale : {0.4, 2.0, 6.0}) {
    const tests::IntegerLaw one = tests::IntegerLaw::laplace(scale, 1);
    tests::IntegerLaw sum = tests::IntegerLaw::zero();
    for (int n = 1; n <= 8; ++n) {
      sum = sum.plus(one);
      for (double y = 1; y <= std::ceil(20 * scale * std::sqrt(n)); ++y) {
        CHECK(sum.upper_tail(y) <= theorem6_tail(y, scale, n));
      }
    }
  }
}

// The bound is exp(-δ²/(8nλ²)) for a deviation δ of n reports at the scale λ. At the end of the theorem's range the
// bound is continuous.
TEST_CASE("the bound of Theorem 6 agrees with its closed form") {
  CHECK(theorem6_tail(20, 2, 50) == doctest::Approx(std::exp(-400.0 / 1600)).epsilon(1e-12));
  const double end = std::sqrt(8.0) * 2 * 50;
  CHECK(theorem6_tail(end * (1 - 1e-12), 2, 50) == doctest::Approx(std::exp(-50.0)).epsilon(1e-9));
  CHECK(theorem6_tail(end * 3, 2, 50) == std::exp(-50.0));
  CHECK(theorem6_tail(0, 2, 50) == 1);
  CHECK(theorem6_tail(-1, 2, 50) == 1);
}

TEST_CASE("equation20_users() at the paper's scale is equation (20) as printed") {
  for (const double d : {1.0, 8.0, 1000.0}) {
    for (const double epsilon : {0.1, 1.0, 4.0}) {
      const double margin = 1 / (4 * std::sqrt(d));
      const double alpha = 0.05;
      const double beta = 0.01;
      const double n = 32 * d / (alpha * alpha * epsilon * epsilon * margin * margin) * std::log(2 / beta);
      const auto users = equation20_users(printed(d, epsilon, margin), alpha, beta);
      CHECK(users >= n * (1 - 1e-12));
      CHECK(users <= n * (1 + 1e-12) + 1);
    }
  }
}

// Erratum of the paper. At the number of users of equation (20) the tail of the noise alone is β, so the sum of both
// tails is above β.
TEST_CASE("the sum of both tails needs more users than equation (20) states") {
  for (const double epsilon : {0.5, 1.0, 8.0, 12.0}) {
    const double d = 4;
    const PaperScheme scheme = printed(d, epsilon, 0.4);
    const double alpha = 0.1;
    const double beta = 0.05;
    const double n20 = equation20_users(scheme, alpha, beta);
    const std::uint64_t n = theorem7_users(scheme, alpha, beta).value();
    CHECK(static_cast<double>(n) >= n20);
    CHECK(both_tails(d, epsilon, 0.4, alpha, static_cast<double>(n)) <= beta);
    CHECK(both_tails(d, epsilon, 0.4, alpha, static_cast<double>(n - 1)) > beta);
  }
  // At ε = 4√d the two exponents are equal. Four equal tails in place of two replace ln(2/β) by ln(4/β).
  const PaperScheme equal = printed(4, 8, 0.4);
  const auto n20 = equation20_users(equal, 0.1, 0.05);
  const auto n = static_cast<double>(theorem7_users(equal, 0.1, 0.05).value());
  CHECK(both_tails(4, 8, 0.4, 0.1, n20) == doctest::Approx(0.1).epsilon(0.001));
  CHECK(n / n20 == doctest::Approx(std::log(80.0) / std::log(40.0)).epsilon(0.001));
  // At ε well above 4√d, equation (20) gives less than half of the users that the instances alone need.
  const PaperScheme loud = printed(4, 12, 0.4);
  const auto few = equation20_users(loud, 0.1, 0.05);
  CHECK(2 * std::exp(-0.04 * 0.04 * few / 2) > 2 * 0.05);
  CHECK(static_cast<double>(theorem7_users(loud, 0.1, 0.05).value()) > 2 * few);
}

// The scale is λ = 1/64, and the deviation 0.45 exceeds √8·λ = 0.044. For so large a deviation Theorem 6 gives only
// e^-n for a tail of n users.
TEST_CASE("beyond the range of Theorem 6 the remark after the theorem applies") {
  const PaperScheme scheme{1.0 / 64, 0.5};
  const std::uint64_t n = theorem7_users(scheme, 0.9, 1e-6).value();
  const double rate = 0.45 * 0.45 / 2;
  const auto failure = [&](std::uint64_t users) {
    const auto count = static_cast<double>(users);
    return 2 * std::exp(-rate * count) + 2 * std::exp(-count);
  };
  CHECK(failure(n) <= 1e-6);
  CHECK(failure(n - 1) > 1e-6);
  CHECK(equation20_users(scheme, 0.9, 1e-6) == 1);
}

TEST_CASE("more than 2^53 users are a typed error, and arguments out of range are refused") {
  CHECK(theorem7_users({1e12, 1e-3}, 1e-3, 0.05).error().code == ErrorCode::kOverflow);
  CHECK(theorem7_users({1e-300, 1e-200}, 1e-3, 0.05).error().code == ErrorCode::kOverflow);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, 1.0, -1.0, nan}) {
    CHECK(theorem7_users({1, 0.5}, bad, 0.05).error().code == ErrorCode::kInvalidArgument);
    CHECK(theorem7_users({1, 0.5}, 0.05, bad).error().code == ErrorCode::kInvalidArgument);
  }
  for (const double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    CHECK(theorem7_users({bad, 0.5}, 0.1, 0.05).error().code == ErrorCode::kInvalidArgument);
    CHECK(theorem7_users({1, bad}, 0.1, 0.05).error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("the one-query limit is the variance of randomized response if half of the people answer yes") {
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    // A boolean answer is kept with probability p = e^ε/(1+e^ε). The estimate of one answer is (1{yes} - (1-p))/(2p-1).
    // The noisy answer is a fair coin of variance 1/4.
    const double p = std::exp(epsilon) / (1 + std::exp(epsilon));
    CHECK(one_query_limit(epsilon) == doctest::Approx(0.25 / ((2 * p - 1) * (2 * p - 1))).epsilon(1e-12));
  }
  CHECK(one_query_limit(64) == doctest::Approx(0.25).epsilon(1e-12));
}

}  // namespace
}  // namespace hearsay::tails
