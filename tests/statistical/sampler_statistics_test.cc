// Compares the discrete Laplace sampler with its law, on 2^22 deterministic draws for each scale.
//
// The false alarm is at most 1e-7 for each scale. Six checks share this false alarm equally: mean, variance, fourth
// moment, serial correlation, tails (over all their counts, by the union bound) and χ². Every threshold follows from
// this false alarm and from the exact moments of the law.
//
// A deviation of twice the threshold is missed with probability below 1e-7. So the checks of moments detect a mean
// that is off by 0.009·t, and a scale t that is off by 0.7 %.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "common/privacy/coin.h"
#include "common/privacy/discrete_laplace.h"
#include "common/privacy/exact_samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kDraws = std::uint64_t{1} << 22U;
constexpr double kCheckBudget = 1e-7 / 6;

struct Scale {
  std::uint64_t s;
  std::uint64_t r;
  double t() const { return static_cast<double>(s) / static_cast<double>(r); }
};

const std::vector<Scale> kScales = {{1, 1}, {10, 1}, {32, 1}, {4096, 3}};

double probability(Scale scale, std::int64_t y) {
  return std::tanh(1 / (2 * scale.t())) * std::exp(-std::abs(static_cast<double>(y)) / scale.t());
}
double tail(Scale scale, std::int64_t m) {
  const double q = std::exp(-1 / scale.t());
  return std::exp(-static_cast<double>(m) / scale.t()) / (1 + q);
}

// The moments of Y^power.
struct PowerMoments {
  double mean;
  double deviation;
  double skewness;
  double excess_kurtosis;
};

PowerMoments moments_of_power(Scale scale, int power) {
  std::array<long double, 5> raw{};  // E[Y^(i·power)]
  // In units of t^16, the terms of E[Y^16] beyond 120 scales are below 120^16·e^-120·(a few). This is less than 1e-18
  // of the moment, which is near 16!.
  const auto last = static_cast<std::int64_t>(120 * scale.t());
  for (std::int64_t y = -last; y <= last; ++y) {
    const long double p = probability(scale, y);
    const long double value = std::pow(static_cast<long double>(y), power);
    long double product = 1;
    for (auto& moment : raw) {
      moment += p * product;
      product *= value;
    }
  }
  const auto [one, m1, m2, m3, m4] = raw;
  CHECK(static_cast<double>(one) == doctest::Approx(1).epsilon(1e-12));
  const long double variance = m2 - m1 * m1;
  const long double third = m3 - 3 * m1 * m2 + 2 * m1 * m1 * m1;
  const long double fourth = m4 - 4 * m1 * m3 + 6 * m1 * m1 * m2 - 3 * m1 * m1 * m1 * m1;
  return {static_cast<double>(m1), static_cast<double>(std::sqrt(variance)),
          static_cast<double>(third / std::pow(variance, 1.5L)),
          static_cast<double>(fourth / (variance * variance) - 3)};
}

class Draws {
 public:
  // A right sample lies beyond 100 scales with probability below e^-100.
  explicit Draws(Scale scale) : limit_(static_cast<std::int64_t>(100 * scale.t())) {
    counts_.resize(2 * static_cast<std::size_t>(limit_) + 1);
  }

  void add(std::int64_t y) {
    ++counts_.at(static_cast<std::size_t>(y + limit_));
    lagged_ += static_cast<double>(y) * static_cast<double>(previous_);
    previous_ = y;
  }

  std::int64_t limit() const { return limit_; }
  std::uint64_t count(std::int64_t y) const { return counts_[static_cast<std::size_t>(y + limit_)]; }
  // Counts the draws on the side of y that are at least |y| from 0. y is not 0.
  std::uint64_t count_beyond(std::int64_t y) const {
    std::uint64_t total = 0;
    for (; std::abs(y) <= limit_; y += y > 0 ? 1 : -1) total += count(y);
    return total;
  }
  double mean_of_power(int power) const {
    long double sum = 0;
    for (std::int64_t y = -limit_; y <= limit_; ++y) {
      if (count(y) != 0) sum += std::pow(static_cast<long double>(y), power) * static_cast<long double>(count(y));
    }
    return static_cast<double>(sum / kDraws);
  }
  double mean_of_neighbours() const { return lagged_ / kDraws; }  // the mean of Y_i·Y_{i+1}

 private:
  std::int64_t limit_;
  std::vector<std::uint64_t> counts_;
  double lagged_ = 0;
  std::int64_t previous_ = 0;
};

template <class Sampler>
Draws draw(Scale scale, const Sampler& sampler) {
  Draws draws(scale);
  for (std::uint64_t i = 0; i < kDraws; ++i) draws.add(sampler());
  return draws;
}

bool power_fits(const Draws& draws, Scale scale, int power) {
  const PowerMoments law = moments_of_power(scale, power);
  const double threshold = tests::cramer_threshold(kCheckBudget, kDraws, law.skewness, law.excess_kurtosis);
  return std::abs(draws.mean_of_power(power) - law.mean) <= threshold * law.deviation / std::sqrt(kDraws);
}

// The products Y_i·Y_{i+1} are uncorrelated. Let m2 and m4 be the second and fourth moments of Y. A product has
// variance m2², skewness 0 and kurtosis (m4/m2²)².
bool correlation_fits(const Draws& draws, Scale scale) {
  const PowerMoments law = moments_of_power(scale, 1);
  const double variance = law.deviation * law.deviation;
  const double kurtosis = law.excess_kurtosis + 3;
  const double threshold = tests::cramer_threshold(kCheckBudget, kDraws, 0, kurtosis * kurtosis - 3);
  return std::abs(draws.mean_of_neighbours()) <= threshold * variance / std::sqrt(kDraws);
}

// Compares the counts beyond ±m with the law, for m = 1, 2, 4, … as long as more than ten draws are expected.
bool tails_fit(const Draws& draws, Scale scale) {
  std::vector<std::int64_t> bounds;
  for (std::int64_t m = 1; tail(scale, m) * kDraws > 10; m *= 2) bounds.push_back(m);
  const double budget = kCheckBudget / (2 * static_cast<double>(bounds.size()));
  for (const std::int64_t m : bounds) {
    const tests::Band band = tests::binomial_band(kDraws, tail(scale, m), budget);
    if (!band.contains(draws.count_beyond(m)) || !band.contains(draws.count_beyond(-m))) return false;
  }
  return true;
}

// The bins go outwards from 0. 0 has a bin of its own, and the last bin on each side is the whole tail. Each bin
// expects at least 1000 draws, so the variance of the statistic exceeds 2·(bins-1) by less than 0.1 %.
bool chi_square_fits(const Draws& draws, Scale scale) {
  constexpr double kLeast = 1000;
  double statistic = 0;
  int bins = 0;
  const auto add_bin = [&](double observed, double p) {
    const double expected = p * kDraws;
    statistic += (observed - expected) * (observed - expected) / expected;
    ++bins;
  };
  add_bin(static_cast<double>(draws.count(0)), probability(scale, 0));
  for (const std::int64_t sign : {1, -1}) {
    std::int64_t from = 1;
    std::uint64_t observed = 0;
    for (std::int64_t y = 1; tail(scale, y + 1) * kDraws >= kLeast; ++y) {
      observed += draws.count(sign * y);
      const double p = tail(scale, from) - tail(scale, y + 1);
      if (p * kDraws < kLeast) continue;
      add_bin(static_cast<double>(observed), p);
      from = y + 1;
      observed = 0;
    }
    add_bin(static_cast<double>(draws.count_beyond(sign * from)), tail(scale, from));
  }
  return statistic <= tests::chi_square_threshold(bins - 1, kCheckBudget);
}

struct Verdict {
  bool mean;
  bool variance;
  bool fourth;
  bool correlation;
  bool tails;
  bool chi_square;
};

Verdict judge(const Draws& draws, Scale claimed) {
  return {power_fits(draws, claimed, 1),    power_fits(draws, claimed, 2), power_fits(draws, claimed, 4),
          correlation_fits(draws, claimed), tails_fit(draws, claimed),     chi_square_fits(draws, claimed)};
}

Draws draw_real(Scale scale) {
  tests::CounterBitSource bits("sampler statistics " + std::to_string(scale.s) + "/" + std::to_string(scale.r));
  const DiscreteLaplace noise = DiscreteLaplace::create(Rational::create(scale.s, scale.r).value()).value();
  return draw(scale, [&] { return noise.sample(bits); });
}

TEST_CASE("discrete Laplace samples fit their law") {
  for (const Scale scale : kScales) {
    CAPTURE(scale.s);
    CAPTURE(scale.r);
    const Verdict verdict = judge(draw_real(scale), scale);
    CHECK(verdict.mean);
    CHECK(verdict.variance);
    CHECK(verdict.fourth);
    CHECK(verdict.correlation);
    CHECK(verdict.tails);
    CHECK(verdict.chi_square);
  }
}

// Each test below plants a bug, which the check for this kind of bug must find.

TEST_CASE("the checks find a scale that is one unit, or 0.7 %, too small") {
  struct Twin {
    Scale claimed;
    Scale drawn;
  };
  for (const Twin& twin : {Twin{{10, 1}, {9, 1}}, Twin{{32, 1}, {31, 1}}, Twin{{4096, 3}, {4067, 3}}}) {
    CAPTURE(twin.claimed.s);
    const Verdict verdict = judge(draw_real(twin.drawn), twin.claimed);
    CHECK(verdict.mean);
    CHECK_FALSE(verdict.variance);
  }
}

TEST_CASE("the checks find a zero that is counted twice") {
  for (const Scale scale : {Scale{1, 1}, Scale{4096, 3}}) {
    CAPTURE(scale.s);
    tests::CounterBitSource bits("zero twice");
    BitCoin coin(bits);
    const Draws draws = draw(scale, [&] {
      const auto magnitude = static_cast<std::int64_t>(geometric(coin, scale.s, scale.r));
      return coin.bit() ? -magnitude : magnitude;
    });
    CHECK_FALSE(judge(draws, scale).chi_square);
  }
}

TEST_CASE("the checks find a sign that is negative 127 times in 256") {
  for (const Scale scale : {Scale{1, 1}, Scale{4096, 3}}) {
    CAPTURE(scale.s);
    tests::CounterBitSource bits("biased sign");
    BitCoin coin(bits);
    const Draws draws = draw(scale, [&] {
      for (;;) {
        const auto magnitude = static_cast<std::int64_t>(geometric(coin, scale.s, scale.r));
        const bool negative = bits.byte() > 128;
        if (!negative || magnitude != 0) return negative ? -magnitude : magnitude;
      }
    });
    CHECK_FALSE(judge(draws, scale).mean);
  }
}

TEST_CASE("the checks find a buffer that hands out each draw twice") {
  const Scale scale{32, 1};
  tests::CounterBitSource bits("repeated");
  const DiscreteLaplace noise = DiscreteLaplace::create(Rational::create(scale.s, scale.r).value()).value();
  std::int64_t last = 0;
  bool fresh = false;
  const Draws draws = draw(scale, [&] {
    fresh = !fresh;
    if (fresh) last = noise.sample(bits);
    return last;
  });
  CHECK_FALSE(judge(draws, scale).correlation);
}

}  // namespace
}  // namespace hearsay
