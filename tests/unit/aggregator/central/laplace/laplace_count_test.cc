#include "aggregator/central/laplace/laplace_count.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

LaplaceCount count_with(const char* epsilon) { return LaplaceCount::create(Epsilon::parse(epsilon).value()).value(); }

double outside(double epsilon, std::uint64_t m) {
  double sum = 0;
  for (int y = 3000; y > static_cast<int>(m); --y) sum += 2 * std::tanh(epsilon / 2) * std::exp(-epsilon * y);
  return sum;
}

TEST_CASE("the error bound is the least bound that the exact law allows") {
  for (const char* epsilon : {"0.05", "1", "4"}) {
    const double e = std::stod(epsilon);
    for (const double beta : {0.5, 0.05, 1e-6}) {
      const std::uint64_t m = count_with(epsilon).error_bound(beta).value();
      CHECK(outside(e, m) <= beta);
      if (m > 0) CHECK(outside(e, m - 1) > beta);
      CHECK(static_cast<double>(m) + 1 <= std::ceil(std::log(2 / beta) / e));
    }
  }
  CHECK(count_with("64").error_bound(0.05).value() == 0);  // Pr[Y != 0] = 3e-28
}

TEST_CASE("the standard deviation agrees with the law, and is near √2/ε") {
  double second = 0;
  for (int y = 1; y < 200; ++y) second += 2 * std::tanh(0.5) * std::exp(-y) * y * y;
  CHECK(count_with("1").standard_deviation() == doctest::Approx(std::sqrt(second)).epsilon(1e-12));
  const double wide = count_with("0.001").standard_deviation();
  CHECK(wide == doctest::Approx(std::sqrt(2.0) * 1000).epsilon(1e-6));
  CHECK(wide < std::sqrt(2.0) * 1000);
}

// Makes 20,000 releases at ε = 1/2. The mean error is within 6 standard errors (false alarm 2e-9). The exact 90 %
// bounds fail with the probability of the law (false alarm 1e-9).
TEST_CASE("releases are unbiased and their bounds hold with the stated probability") {
  tests::CounterBitSource bits("central count");
  const LaplaceCount mechanism = count_with("0.5");
  constexpr std::uint64_t kRuns = 20'000;
  double sum = 0;
  std::uint64_t missed = 0;
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    const CentralAnswer answer = mechanism.release(700, 1000, 0.9, bits).value();
    CHECK(answer.fraction == static_cast<double>(answer.noisy_count) / 1000);
    sum += static_cast<double>(answer.noisy_count) - 700;
    if (answer.low > 0.7 || answer.high < 0.7) ++missed;
  }
  CHECK(std::abs(sum / kRuns) < 6 * mechanism.standard_deviation() / std::sqrt(kRuns));
  const std::uint64_t m = mechanism.error_bound(0.1).value();
  CHECK(tests::binomial_band(kRuns, outside(0.5, m), 1e-9).contains(missed));
}

TEST_CASE("an answer states its error as a fraction and is not clipped") {
  tests::CounterBitSource bits("central edges");
  const LaplaceCount mechanism = count_with("0.1");
  bool below = false;
  for (int i = 0; i < 50; ++i) {
    const CentralAnswer answer = mechanism.release(0, 40, 0.95, bits).value();
    below = below || answer.fraction < 0;
    CHECK(answer.standard_error == doctest::Approx(mechanism.standard_deviation() / 40));
    const double reach = static_cast<double>(mechanism.error_bound(1 - 0.95).value()) / 40;
    CHECK(answer.high - answer.fraction == doctest::Approx(reach));
  }
  CHECK(below);
}

TEST_CASE("the stated number of users is the error bound divided by alpha") {
  const LaplaceCount mechanism = count_with("0.1");
  const std::uint64_t m = mechanism.error_bound(0.01).value();
  const std::uint64_t n = mechanism.users(0.02, 0.01).value();
  CHECK(static_cast<double>(m) <= 0.02 * static_cast<double>(n));
  CHECK(static_cast<double>(m) > 0.02 * static_cast<double>(n - 1));
  CHECK(count_with("64").users(0.5, 0.05).value() == 1);
  CHECK(mechanism.users(1e-300, 0.01).error().code == ErrorCode::kOverflow);
}

TEST_CASE("a count above the number of people is released as the number of people") {
  const LaplaceCount mechanism = count_with("1");
  for (const std::uint64_t count : {std::uint64_t{5}, std::uint64_t{1} << 61U, ~std::uint64_t{0}}) {
    tests::CounterBitSource first("central above");
    tests::CounterBitSource second("central above");
    CHECK(mechanism.release(count, 4, 0.95, first)->noisy_count == mechanism.release(4, 4, 0.95, second)->noisy_count);
  }
}

TEST_CASE("numbers of people and probabilities out of range are refused") {
  tests::CounterBitSource bits("central refusals");
  const LaplaceCount mechanism = count_with("1");
  CHECK(mechanism.release(0, 0, 0.95, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(mechanism.release(0, std::uint64_t{1} << 60U, 0.95, bits).error().code == ErrorCode::kInvalidArgument);
  for (const double bad : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(mechanism.release(1, 4, bad, bits).error().code == ErrorCode::kInvalidArgument);
    CHECK(mechanism.error_bound(bad).error().code == ErrorCode::kInvalidArgument);
    CHECK(mechanism.users(bad, 0.05).error().code == ErrorCode::kInvalidArgument);
  }
  tests::FailingBitSource none;
  CHECK_THROWS_AS((void)mechanism.release(1, 4, 0.95, none), EntropyError);
}

}  // namespace
}  // namespace hearsay::central
