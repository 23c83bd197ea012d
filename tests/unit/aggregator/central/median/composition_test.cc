#include "aggregator/central/median/composition.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include "tests/support/numbers.h"

namespace hearsay::central {
namespace {

using tests::ratio;

// Returns the hockey-stick divergence between `rounds` randomized responses to 0 and `rounds` responses to 1, over all
// 2^rounds outcomes.
double by_enumeration(double epsilon, std::uint32_t rounds, double alpha) {
  const double truth = std::exp(epsilon) / (1 + std::exp(epsilon));
  double sum = 0;
  for (std::uint32_t outcome = 0; outcome < 1U << rounds; ++outcome) {
    const int ones = std::popcount(outcome);
    const int zeros = static_cast<int>(rounds) - ones;
    const double of_zero = std::pow(truth, zeros) * std::pow(1 - truth, ones);
    const double of_one = std::pow(truth, ones) * std::pow(1 - truth, zeros);
    sum += std::max(0.0, of_zero - std::exp(alpha) * of_one);
  }
  return sum;
}

TEST_CASE("the composed τ is the divergence of randomized responses") {
  for (const std::uint64_t hundredths : {5U, 30U, 100U, 250U}) {
    for (std::uint32_t rounds = 1; rounds <= 9; ++rounds) {
      for (const std::uint64_t alpha : {10U, 100U, 400U}) {
        const double e = static_cast<double>(hundredths) / 100;
        const double exact = by_enumeration(e, rounds, static_cast<double>(alpha) / 100);
        const double tau = composed_tau(ratio(hundredths, 100), rounds, ratio(alpha, 100));
        if (hundredths * rounds <= alpha) {
          CHECK(tau == 0);
        } else {
          CHECK(tau >= exact * (1 - 1e-13));
          CHECK(tau == doctest::Approx(exact).epsilon(1e-9).scale(1e-7));
        }
      }
    }
  }
}

TEST_CASE("each round gets the largest ε that the grid and τ allow") {
  for (const double tau : {1e-9, 1e-3, 0.05, 0.5}) {
    for (const std::uint32_t rounds : {1U, 2U, 7U, 40U, 300U}) {
      const Rational alpha = ratio(3, 4);
      const Rational epsilon = epsilon_per_round(alpha, tau, rounds).value();
      const Rational step = alpha.divided_by(ratio(1024 * rounds, 1)).value();
      CHECK(composed_tau(epsilon, rounds, alpha) <= tau);
      const bool capped = epsilon == step.times(ratio(8 * 1024, 1)).value();
      CHECK((capped || composed_tau(epsilon.plus(step).value(), rounds, alpha) > tau));
      CHECK(epsilon >= alpha.divided_by(ratio(rounds, 1)).value());
    }
  }
  // With many rounds the budget of a round is far above α/rounds. It is also above the textbook bound, which solves
  // √(2c·ln(1/τ))·ε + cε(e^ε-1) = α for c rounds.
  const Rational epsilon = epsilon_per_round(ratio(1, 1), 1e-6, 1000).value();
  const double textbook = 0.00598;  // √(2000·ln 10^6)·0.00598 + 1000·0.00598·(e^0.00598 - 1) = 1.030 > 1
  CHECK(std::sqrt(2000 * std::log(1e6)) * textbook + 1000 * textbook * std::expm1(textbook) > 1);
  CHECK(epsilon.approximate() > textbook);
}

TEST_CASE("without τ the budget is divided equally and exactly") {
  CHECK(epsilon_per_round(ratio(1, 3), 0, 7).value() == ratio(1, 21));
  CHECK(epsilon_per_round(ratio(1, 3), 1e-300, 7).value() == ratio(1, 21));
  CHECK(epsilon_per_round(ratio(64, 1), 0, 1).value() == ratio(64, 1));
}

TEST_CASE("budgets out of range are refused, and huge budgets give finite numbers") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double tau : {-1e-9, 1.0, 2.0, kNan}) {
    CHECK(epsilon_per_round(ratio(1, 1), tau, 3).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(epsilon_per_round(ratio(1, 1), 0.1, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(epsilon_per_round(ratio(0, 1), 0.1, 3).error().code == ErrorCode::kInvalidArgument);
  CHECK(epsilon_per_round(ratio(1, ~std::uint64_t{0}), 0.1, 3).error().code == ErrorCode::kOverflow);
  const double far = composed_tau(ratio(100'000, 1), 1000, ratio(64, 1));
  CHECK(far == doctest::Approx(1).epsilon(1e-9));
}

}  // namespace
}  // namespace hearsay::central
