#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "aggregator/central/laplace/bit_flips.h"
#include "aggregator/central/laplace/laplace_mechanism.h"
#include "aggregator/central/laplace/metric_mechanism.h"
#include "common/privacy/exponential.h"
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
using Bits = std::vector<std::uint8_t>;

std::uint64_t on_a_line(std::uint32_t y, std::uint32_t z) { return y > z ? y - z : z - y; }
std::uint64_t on_a_circle_of_7(std::uint32_t y, std::uint32_t z) {
  return std::min(on_a_line(y, z), 7 - on_a_line(y, z));
}
std::uint64_t hamming(std::uint32_t y, std::uint32_t z) { return static_cast<std::uint64_t>(std::popcount(y ^ z)); }

MetricMechanism metric(const char* epsilon, std::uint32_t points, const MetricMechanism::Distance& distance,
                       std::uint64_t sensitivity) {
  return MetricMechanism::create(eps(epsilon), points, distance, sensitivity, Neighbours::kReplaceOne).value();
}

double worst_loss(const MetricMechanism& mechanism, std::uint64_t sensitivity) {
  double worst = 0;
  for (std::uint32_t x = 0; x < mechanism.points(); ++x) {
    for (std::uint32_t z = 0; z < mechanism.points(); ++z) {
      if (mechanism.distance(x, z) > sensitivity) continue;
      for (std::uint32_t y = 0; y < mechanism.points(); ++y) {
        worst = std::max(worst, log_probability(mechanism, x, y) - log_probability(mechanism, z, y));
      }
    }
  }
  return worst;
}

TEST_CASE("on a line the loss is at most epsilon, of which the normalisation may take half") {
  const MetricMechanism line = metric("1.5", 12, on_a_line, 2);
  CHECK(line.rate() == ratio(3, 8));  // the rate is ε/(2S) with the sensitivity S
  const double loss = worst_loss(line, 2);
  CHECK(loss <= 1.5);
  CHECK(loss > 0.75);
}

// By Remark 1, the circle and the cube look the same from every point.
TEST_CASE("in a space that looks the same from every point the loss is epsilon") {
  const MetricMechanism circle = metric("1.5", 7, on_a_circle_of_7, 2);
  CHECK(circle.rate() == ratio(3, 4));  // the rate is ε/S with the sensitivity S
  CHECK(worst_loss(circle, 2) == doctest::Approx(1.5).epsilon(1e-12));
  const MetricMechanism cube = metric("1.5", 16, hamming, 3);
  CHECK(cube.rate() == ratio(1, 2));
  CHECK(worst_loss(cube, 3) == doctest::Approx(1.5).epsilon(1e-12));
}

// Draws 40,000 times. Each of 12 counts has a false alarm of 1e-9.
TEST_CASE("releases follow the law that the mechanism states") {
  CounterBitSource bits("metric law");
  const MetricMechanism line = metric("1.5", 12, on_a_line, 2);
  constexpr std::uint64_t kRuns = 40'000;
  std::vector<std::uint64_t> counts(12);
  for (std::uint64_t i = 0; i < kRuns; ++i) ++counts[line.release(3, bits)];
  for (std::uint32_t y = 0; y < 12; ++y) {
    CAPTURE(y);
    CHECK(binomial_band(kRuns, std::exp(log_probability(line, 3, y)), 1e-9).contains(counts[y]));
  }
}

// By the printed formula (4) the points farthest from the true value would be the most likely.
TEST_CASE("the exponent has the sign that is missing in the printed formula") {
  const MetricMechanism line = metric("1", 9, on_a_line, 1);
  for (std::uint32_t y = 0; y < 9; ++y) {
    if (y != 2) CHECK(log_probability(line, 2, 2) > log_probability(line, 2, y));
  }
  CHECK(log_probability(line, 2, 0) - log_probability(line, 2, 8) == doctest::Approx((6 - 2) * 0.5).epsilon(1e-12));
}

TEST_CASE("the metric error bound holds for every value, by the exact law") {
  for (const double beta : {0.3, 0.05, 1e-6}) {
    const MetricMechanism line = metric("2", 40, on_a_line, 1);
    const std::uint64_t r = line.error_bound(beta).value();
    for (std::uint32_t x = 0; x < 40; ++x) {
      double beyond = 0;
      for (std::uint32_t y = 0; y < 40; ++y) {
        if (line.distance(x, y) > r) beyond += std::exp(log_probability(line, x, y));
      }
      CHECK(beyond <= beta);
    }
    CHECK(static_cast<double>(r) <= std::ceil(std::log(39 / beta)));  // the rate of `line` is 1
  }
  // The space has 40 points, each 10 steps from all others. The error exceeds 9 if the answer is another point. The
  // bound divides by 1 in place of the sum of all weights.
  const auto apart = [](std::uint32_t y, std::uint32_t z) { return std::uint64_t{y == z ? 0U : 10U}; };
  const MetricMechanism even = metric("1", 40, apart, 1);
  const double weights = 39 * std::exp(-10.0);
  CHECK(even.error_bound(weights / (1 + weights) * 0.999).value() == 10);
  CHECK(even.error_bound(weights * 1.001).value() == 9);
}

TEST_CASE("at the largest epsilon a metric release is the value, and at the least epsilon the release is finite") {
  CounterBitSource bits("metric extremes");
  for (const char* epsilon : {"50", "64"}) {
    const MetricMechanism cube = metric(epsilon, 64, hamming, 1);
    for (int i = 0; i < 100; ++i) CHECK(cube.release(9, bits) == 9);  // another answer has probability below 1e-19
    CHECK(cube.error_bound(1e-6).value() == 0);
  }
  const MetricMechanism wide = metric("0.000001", 3, on_a_line, MetricMechanism::kLargestDistance);
  CHECK(wide.release(0, bits) < 3);
  CHECK(std::isfinite(log_probability(wide, 0, 2)));
  CHECK(metric("1", 1, on_a_line, 1).release(0, bits) == 0);
  CHECK(metric("1", 1, on_a_line, 1).error_bound(0.1).value() == 0);
}

TEST_CASE("a value that is no point is released as point 0, with the same bits") {
  const MetricMechanism line = metric("1", 9, on_a_line, 1);
  for (const std::uint32_t value : {9U, 0xFFFFFFFFU}) {
    CounterBitSource first("metric outside");
    CounterBitSource second("metric outside");
    for (int i = 0; i < 20; ++i) CHECK(line.release(value, first) == line.release(0, second));
  }
}

TEST_CASE("spaces that are not metric are refused") {
  CounterBitSource bits("metric refusals");
  const auto create = [](std::uint32_t points, const MetricMechanism::Distance& distance, std::uint64_t sensitivity) {
    return MetricMechanism::create(eps("1"), points, distance, sensitivity, Neighbours::kReplaceOne);
  };
  CHECK(create(0, on_a_line, 1).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(3, nullptr, 1).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(3, on_a_line, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(1025, on_a_line, 1).error().code == ErrorCode::kDomainTooLarge);
  CHECK(create(3, on_a_line, MetricMechanism::kLargestDistance + 1).error().code == ErrorCode::kLimitExceeded);
  using Point = std::uint32_t;
  const auto squared = [](Point y, Point z) { return on_a_line(y, z) * on_a_line(y, z); };
  CHECK(create(3, squared, 1).error().code == ErrorCode::kInvalidArgument);
  const auto one_way = [](Point y, Point z) { return on_a_line(y, z) + (y > z ? 1U : 0U); };
  CHECK(create(3, one_way, 1).error().code == ErrorCode::kInvalidArgument);
  const auto same = [](Point y, Point z) { return std::uint64_t{y / 2 != z / 2}; };
  CHECK(create(3, same, 1).error().code == ErrorCode::kInvalidArgument);
  const auto far = [](Point y, Point z) { return on_a_line(y, z) << 24U; };
  CHECK(create(3, far, 1).error().code == ErrorCode::kLimitExceeded);
  const MetricMechanism line = create(3, on_a_line, 1).value();
  CHECK(line.error_bound(0).error().code == ErrorCode::kInvalidArgument);
  CHECK(line.error_bound(1).error().code == ErrorCode::kInvalidArgument);
}

BitFlips flips(const char* epsilon, std::size_t dimension, std::size_t sensitivity) {
  return BitFlips::create(eps(epsilon), dimension, sensitivity, Neighbours::kReplaceOne).value();
}

// (1-p)/p <= e^{ε/S} is certified in integers. Rounding makes p at most 2 units of 2^-64 too large.
TEST_CASE("the flip has the least probability that epsilon allows, rounded towards privacy") {
  for (const auto& [epsilon, sensitivity] : {std::pair{"1", 1ULL},
                                             {"0.1", 3ULL},
                                             {"0.000001", 7ULL},
                                             {"2.5", 2ULL},
                                             {"20", 1ULL},
                                             {"50", 1ULL},
                                             {"64", 1ULL}}) {
    const std::uint64_t flip = flips(epsilon, 16, sensitivity).flip_in_2_to_64();
    const Rational x = exact(eps(epsilon)).divided_by(ratio(sensitivity)).value();
    const Uint128 all = Uint128{1} << 64U;
    CHECK(flip >= 1);
    CHECK(flip <= std::uint64_t{1} << 63U);
    CHECK(compare_with_exp(all - flip, flip, x) == std::partial_ordering::less);
    if (flip > 2) CHECK(compare_with_exp(all - (flip - 2), flip - 2, x) == std::partial_ordering::greater);
    const double least = 1 / (1 + std::exp(x.approximate()));
    const double p = std::ldexp(static_cast<double>(flip), -64);
    // Above ε/S = 64·ln 2 = 44.4 the flip would need a probability below 2^-64. Its probability is then 2^-64, and the
    // loss is less than ε.
    CHECK(std::abs(p - least) <= 1e-12 * least + std::ldexp(1.0, -64));
  }
}

// The printed flip has the probability p = 1/2 - ε/(2S), for S bits. Its loss S·ln((1-p)/p) = 2S·artanh(ε/S) is about
// 2ε.
TEST_CASE("the printed probability of a flip costs twice epsilon") {
  for (const double s : {1.0, 4.0, 16.0}) {
    const double epsilon = 0.1;
    const double printed = 0.5 - epsilon / (2 * s);
    const double loss = s * std::log((1 - printed) / printed);
    CHECK(loss == doctest::Approx(2 * epsilon).epsilon(0.01));
    CHECK(loss > 2 * epsilon);
    const double right =
        std::ldexp(static_cast<double>(flips("0.1", 16, static_cast<std::size_t>(s)).flip_in_2_to_64()), -64);
    CHECK(s * std::log((1 - right) / right) == doctest::Approx(epsilon).epsilon(1e-9));
    // To the first order in ε the probability of a flip is 1/2 - ε/(4S).
    CHECK(right == doctest::Approx(0.5 - epsilon / (4 * s)).epsilon(0.001));
  }
}

TEST_CASE("flipping the bits is the metric mechanism on the cube") {
  const BitFlips flip = flips("1.5", 4, 3);
  const MetricMechanism cube = metric("1.5", 16, hamming, 3);
  const double p = std::ldexp(static_cast<double>(flip.flip_in_2_to_64()), -64);
  for (std::uint32_t y = 0; y < 16; ++y) {
    const auto changed = static_cast<double>(hamming(5, y));
    CHECK(changed * std::log(p) + (4 - changed) * std::log1p(-p) ==
          doctest::Approx(log_probability(cube, 5, y)).epsilon(1e-12));
  }
}

// Releases 40,000 bits of either value. The number of flips is within a band of false alarm 1e-9. In 1,000 releases of
// 50 bits, the bound on the number of flips fails with the probability of the binomial law, which is at most beta.
TEST_CASE("bits are flipped with the probability of the mechanism's law") {
  CounterBitSource bits("bit flips");
  const BitFlips flip = flips("1", 40'000, 1);
  const double p = 1 / (1 + std::exp(1.0));
  for (const std::uint8_t value : {std::uint8_t{0}, std::uint8_t{1}}) {
    const Bits noisy = flip.release(Bits(40'000, value), bits);
    CHECK(binomial_band(40'000, p, 1e-9)
              .contains(static_cast<std::uint64_t>(std::count(noisy.begin(), noisy.end(), value ^ 1))));
  }
  const BitFlips few = flips("2", 50, 1);
  const std::uint64_t m = few.error_bound(0.1).value();
  const double q = 1 / (1 + std::exp(2.0));
  double term = std::pow(1 - q, 50);
  double within = term;
  for (std::uint64_t k = 0; k < m; ++k) {
    CHECK(1 - within > 0.1);  // m is the least bound
    term *= q / (1 - q) * static_cast<double>(50 - k) / static_cast<double>(k + 1);
    within += term;
  }
  CHECK(1 - within <= 0.1);
  std::uint64_t failures = 0;
  for (int run = 0; run < 1000; ++run) {
    const Bits noisy = few.release(Bits(50, 0), bits);
    if (static_cast<std::uint64_t>(std::count(noisy.begin(), noisy.end(), 1)) > m) ++failures;
  }
  CHECK(binomial_band(1000, 1 - within, 1e-9).contains(failures));
}

TEST_CASE("values of any bytes are released as the agreed number of bits") {
  const BitFlips flip = flips("0.1", 3, 1);
  const auto released = [&](const Bits& value) {
    CounterBitSource bits("bit flips of anything");
    Bits all;
    for (int i = 0; i < 20; ++i) {
      const Bits noisy = flip.release(value, bits);
      CHECK(noisy.size() == 3);
      all.insert(all.end(), noisy.begin(), noisy.end());
    }
    return all;
  };
  CHECK(released({}) == released({0, 0, 0}));
  CHECK(released({1}) == released({1, 0, 0}));
  CHECK(released({0, 1, 0, 1, 1}) == released({0, 1, 0}));
  CHECK(released({0, 2, 255}) == released({0, 1, 1}));
  CHECK(released({0, 1, 1}) != released({0, 1, 0}));
}

TEST_CASE("sensitivities of bit flips that are out of range are refused") {
  const auto create = [](std::size_t dimension, std::size_t sensitivity) {
    return BitFlips::create(eps("1"), dimension, sensitivity, Neighbours::kReplaceOne);
  };
  CHECK(create(0, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(4, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(4, 5).error().code == ErrorCode::kInvalidArgument);
  CHECK(create((1U << 24U) + 1, 5).error().code == ErrorCode::kLimitExceeded);
  const BitFlips flip = create(2, 1).value();
  CHECK(flip.error_bound(0).error().code == ErrorCode::kInvalidArgument);
  CHECK(flip.error_bound(std::numeric_limits<double>::quiet_NaN()).error().code == ErrorCode::kInvalidArgument);
  tests::FailingBitSource none;
  CHECK_THROWS_AS((void)flip.release(Bits{0, 1}, none), EntropyError);
}

}  // namespace
}  // namespace hearsay::central
