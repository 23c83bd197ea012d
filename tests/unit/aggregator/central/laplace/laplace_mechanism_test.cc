#include "aggregator/central/laplace/laplace_mechanism.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/laplace/laws.h"

namespace hearsay::central {
namespace {

using tests::binomial_band;
using tests::CounterBitSource;
using tests::eps;
using tests::ratio;
using Statistic = std::vector<std::int64_t>;

constexpr std::int64_t kLargest = kLargestStatistic;

LaplaceMechanism mechanism(const char* epsilon, const Rational& sensitivity) {
  return LaplaceMechanism::create(eps(epsilon), sensitivity, Neighbours::kReplaceOne).value();
}

// Returns the probability that any of d noises exceeds m in magnitude. The law is Pr[y] = tanh(1/(2t))·e^{-|y|/t}.
double outside(double t, std::uint64_t m, double d) {
  double each = 0;
  for (int y = 20'000; y > static_cast<int>(m); --y) each += 2 * std::tanh(0.5 / t) * std::exp(-y / t);
  return -std::expm1(d * std::log1p(-each));
}

TEST_CASE("the scale is the sensitivity over epsilon, and the loss is the distance over the scale, exactly") {
  const LaplaceMechanism laplace = mechanism("0.3", ratio(7, 2));
  CHECK(laplace.scale() == ratio(35, 3));
  CHECK(loss(laplace, Statistic{1, -2}, Statistic{3, 1}) == ratio(3, 7));  // 5·3/35
  CHECK(loss(laplace, Statistic{4}, Statistic{4}) == ratio(0));
  CHECK(loss(laplace, Statistic{kLargest}, Statistic{-kLargest}) == ratio(3 * (1ULL << 62U), 35));
}

TEST_CASE("the loss is the largest log-ratio of the law, and the output that equals the first statistic attains it") {
  const LaplaceMechanism laplace = mechanism("0.7", ratio(3));
  const Statistic first{2, 0};
  const Statistic second{0, 1};
  double worst = 0;
  for (std::int64_t y = -30; y <= 30; ++y) {
    for (std::int64_t z = -30; z <= 30; ++z) {
      const Statistic output{y, z};
      worst = std::max(worst, log_probability(laplace, first, output) - log_probability(laplace, second, output));
    }
  }
  CHECK(worst == doctest::Approx(0.7).epsilon(1e-12));
  CHECK(loss(laplace, first, second) == ratio(7, 10));
  CHECK(log_probability(laplace, first, first) - log_probability(laplace, second, first) ==
        doctest::Approx(worst).epsilon(1e-12));
}

// Draws 40,000 times. Each of 9 counts has a false alarm of 1e-9.
TEST_CASE("the noise has the law that the mechanism states") {
  CounterBitSource bits("laplace law");
  const LaplaceMechanism laplace = mechanism("0.5", ratio(1));
  constexpr std::uint64_t kRuns = 40'000;
  std::array<std::uint64_t, 9> counts{};
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    const std::int64_t noise = laplace.release(100, bits) - 100;
    if (noise >= -4 && noise <= 4) ++counts[static_cast<std::size_t>(noise + 4)];
  }
  for (std::int64_t y = -4; y <= 4; ++y) {
    CAPTURE(y);
    const double p = std::exp(log_probability(laplace, Statistic{100}, Statistic{100 + y}));
    CHECK(binomial_band(kRuns, p, 1e-9).contains(counts[static_cast<std::size_t>(y + 4)]));
  }
}

// Proposition 1 calls the sensitivity over ε the standard deviation.
TEST_CASE("the standard deviation is √2 times the scale, not the scale") {
  const LaplaceMechanism laplace = mechanism("0.001", ratio(1));
  CHECK(laplace.standard_deviation() == doctest::Approx(std::sqrt(2.0) * 1000).epsilon(1e-6));
  CHECK(laplace.standard_deviation() > 1.4 * laplace.scale().approximate());
}

// Example 1 prints e^{|y-y'|} for densities that are proportional to e^{-ε|y|}.
TEST_CASE("the ratio in the paper's Example 1 is e to the power of epsilon times the distance") {
  const LaplaceMechanism laplace = mechanism("2", ratio(1));
  const double log_ratio =
      log_probability(laplace, Statistic{0}, Statistic{0}) - log_probability(laplace, Statistic{3}, Statistic{0});
  CHECK(log_ratio == doctest::Approx(2 * 3).epsilon(1e-12));
  CHECK(log_ratio > 3);  // the printed bound allows at most 3
}

TEST_CASE("the error bound is the least bound that the law allows") {
  for (const double d : {1.0, 5.0, 1000.0}) {
    for (const double beta : {0.5, 0.01, 1e-6}) {
      for (const auto& [epsilon, t] : {std::pair{"0.05", 20.0}, {"1", 1.0}, {"4", 0.25}}) {
        const std::uint64_t m = mechanism(epsilon, ratio(1)).error_bound(static_cast<std::size_t>(d), beta).value();
        CHECK(outside(t, m, d) <= beta * (1 + 1e-9));
        if (m > 0) CHECK(outside(t, m - 1, d) > beta);
        CHECK(static_cast<double>(m) <= std::ceil(t * std::log(2 * d / beta)));
      }
    }
  }
  CHECK(mechanism("1", ratio(1)).error_bound(1, 5e-324).value() == 744);  // ⌈ln(2/((1+1/e)·5e-324))⌉ - 1
}

TEST_CASE("answers are clamped at the largest statistic") {
  CounterBitSource bits("laplace clamp");
  const LaplaceMechanism laplace = mechanism("0.000001", ratio(std::uint64_t{1} << 34U));
  bool clamped = false;
  for (int i = 0; i < 40; ++i) {
    const std::int64_t noisy = laplace.release(kLargest, bits);
    CHECK(noisy <= kLargest);
    clamped = clamped || noisy == kLargest;
  }
  CHECK(clamped);  // each answer is clamped with probability 1/2
}

// Tries neighbouring statistics on both sides of 2^61 and at the ends of 64 bits. With the same random bits, a
// statistic beyond the clamp gives the answer of the clamp.
TEST_CASE("no statistic is refused: a statistic beyond 2^61 is released as 2^61") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const LaplaceMechanism laplace = mechanism("0.5", ratio(1));
  const auto released = [&](std::int64_t statistic) {
    CounterBitSource bits("laplace beyond");
    std::vector<std::int64_t> answers;
    for (int i = 0; i < 50; ++i) answers.push_back(laplace.release(statistic, bits));
    return answers;
  };
  CHECK(released(kLargest - 1) != released(kLargest));
  for (const std::int64_t beyond : {kLargest + 1, kLargest + 5, kMost}) CHECK(released(beyond) == released(kLargest));
  for (const std::int64_t beyond : {-kLargest - 1, kLeast}) CHECK(released(beyond) == released(-kLargest));
  CounterBitSource bits("laplace beyond");
  CHECK(laplace.release(Statistic{0, kLeast, kMost}, bits).size() == 3);
  for (std::int64_t a = kLargest - 3; a <= kLargest + 3; ++a) {
    const Statistic here{std::min(a, kLargest)};
    const Statistic next{std::min(a + 1, kLargest)};
    CHECK(loss(laplace, here, next) == (a < kLargest ? ratio(1, 2) : ratio(0)));
  }
}

TEST_CASE("with the largest epsilon answers are finite, almost without noise") {
  CounterBitSource bits("laplace huge epsilon");
  for (const char* epsilon : {"50", "64"}) {
    const LaplaceMechanism laplace = mechanism(epsilon, ratio(1));
    for (int i = 0; i < 100; ++i) CHECK(laplace.release(5, bits) == 5);  // another answer has probability 4e-22
    CHECK(laplace.error_bound(1000, 1e-6).value() == 0);
    CHECK(laplace.standard_deviation() > 0);
    CHECK(std::isfinite(log_probability(laplace, Statistic{0}, Statistic{1000})));
  }
}

TEST_CASE("an epsilon of 0 or above 64 is refused") {
  for (const char* text : {"0", "-1", "1e-300", "0.0000001", "65", "710", "1e308", "nan", "inf", ""}) {
    CAPTURE(text);
    CHECK(Epsilon::parse(text).error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("sensitivities and probabilities out of range are refused") {
  const auto create = [](const char* epsilon, const Rational& sensitivity) {
    return LaplaceMechanism::create(eps(epsilon), sensitivity, Neighbours::kAddRemove);
  };
  CHECK(create("1", ratio(0)).error().code == ErrorCode::kInvalidArgument);
  CHECK(create("1", ratio((1ULL << 54U) + 1)).error().code == ErrorCode::kScaleTooLarge);
  CHECK(create("0.000001", ratio(1ULL << 60U)).error().code == ErrorCode::kOverflow);
  CHECK(create("1", ratio(1)).value().neighbours() == Neighbours::kAddRemove);
  for (const double beta : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(mechanism("1", ratio(1)).error_bound(1, beta).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(mechanism("1", ratio(1)).error_bound(0, 0.5).error().code == ErrorCode::kInvalidArgument);
  CHECK(people_for(5, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(people_for(5, std::numeric_limits<double>::quiet_NaN()).error().code == ErrorCode::kInvalidArgument);
  CHECK(people_for(5, 1e-300).error().code == ErrorCode::kOverflow);
  CHECK(people_for(0, 0.5).value() == 1);
  tests::FailingBitSource none;
  CHECK_THROWS_AS((void)mechanism("1", ratio(1)).release(0, none), EntropyError);
}

}  // namespace
}  // namespace hearsay::central
