// Enumerates the law of the samplers from the code that devices run. Each toss of a coin is a node of a decision tree
// with exact probabilities. sampler_coin_test.cc checks the coins.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "common/privacy/exact_samplers.h"
#include "tests/support/decision_tree.h"

namespace hearsay {
namespace {

using tests::BranchingCoin;
using tests::Enclosure;
using tests::enumerate;
using tests::MergingCoin;

struct Scale {
  std::uint64_t s;
  std::uint64_t r;
  long double t() const { return static_cast<long double>(s) / static_cast<long double>(r); }
};

const std::vector<Scale> kScales = {{1, 2}, {1, 1}, {3, 2}, {2, 1}, {7, 3}, {5, 1}};

// Paths with a smaller probability are not followed. The residuals are near 1e-11, because of the allowance for
// rounding.
constexpr long double kSmallest = 1e-15L;

// A bound on the relative rounding error of a closed form with a few operations in long double.
constexpr long double kSlack = 1e-16L;

template <class Coin>
Enclosure<std::int64_t> enumerate_laplace(Scale scale, long double smallest) {
  return enumerate<std::int64_t, Coin>([&](Coin& coin) { return discrete_laplace(coin, scale.s, scale.r); }, smallest);
}

long double law(Scale scale, std::int64_t y) {
  return std::tanh(1 / (2 * scale.t())) * std::exp(-std::abs(static_cast<long double>(y)) / scale.t());
}

// Returns true if every probability of the law lies in its enclosure, for all values that are likelier than the
// residual.
bool encloses_law(const Enclosure<std::int64_t>& found, Scale scale) {
  for (std::int64_t y = 0; law(scale, y) > found.residual; ++y) {
    for (const std::int64_t value : {y, -y}) {
      const long double p = law(scale, value);
      if (p * (1 + kSlack) < found.low(value) || p * (1 - kSlack) > found.high(value)) return false;
    }
  }
  return true;
}

// Returns a certified lower bound on the largest log-ratio log(Pr[Y = y]/Pr[Y = y + k]) over y. An output reveals at
// least this much about a statistic that changes by k.
long double certified_loss(const Enclosure<std::int64_t>& found, std::int64_t k) {
  long double largest = -std::numeric_limits<long double>::infinity();
  for (const auto& [y, low] : found.mass) largest = std::max(largest, std::log(low / found.high(y + k)));
  return largest;
}

TEST_CASE("the discrete Laplace sampler has its law") {
  for (const Scale scale : kScales) {
    CAPTURE(scale.s);
    CAPTURE(scale.r);
    const auto found = enumerate_laplace<MergingCoin>(scale, kSmallest);
    CHECK(found.residual > 0);
    CHECK(found.residual < 3e-11L);
    CHECK(encloses_law(found, scale));
  }
}

TEST_CASE("a shift by k costs at most k/t, and attains k/t") {
  for (const Scale scale : kScales) {
    const auto found = enumerate_laplace<MergingCoin>(scale, kSmallest);
    for (const std::int64_t k : {-3, -2, -1, 1, 2, 3}) {
      CAPTURE(scale.s);
      CAPTURE(scale.r);
      CAPTURE(k);
      const long double claimed = static_cast<long double>(std::abs(k)) / scale.t();
      CHECK(certified_loss(found, k) <= claimed);
      CHECK(certified_loss(found, k) > claimed - 1e-7L);
    }
  }
}

// Without merging, restarts multiply the paths, so the residual is large. This check compares the merged walk with the
// plain code.
TEST_CASE("the plain walk agrees with the merged one") {
  for (const Scale scale : {Scale{1, 1}, Scale{2, 1}, Scale{1, 2}}) {
    CAPTURE(scale.s);
    CAPTURE(scale.r);
    const auto plain = enumerate_laplace<BranchingCoin>(scale, 1e-6L);
    const auto merged = enumerate_laplace<MergingCoin>(scale, kSmallest);
    CHECK(plain.residual < 0.02L);
    CHECK(encloses_law(plain, scale));
    for (const auto& [y, low] : plain.mass) CHECK(low <= merged.high(y));
  }
}

TEST_CASE("the sampler of Bernoulli(exp(-x)) has its law") {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 63U;
  struct Exponent {
    std::uint64_t num;
    std::uint64_t den;
  };
  for (const Exponent x :
       {Exponent{0, 1}, Exponent{1, 3}, Exponent{1, 1}, Exponent{3, 2}, Exponent{2, 1}, Exponent{22, 7},
        Exponent{10, 1}, Exponent{kHuge - 1, kHuge}, Exponent{kHuge, kHuge}, Exponent{kHuge + 5, kHuge - 7}}) {
    CAPTURE(x.num);
    CAPTURE(x.den);
    const auto found =
        enumerate<bool, MergingCoin>([&](MergingCoin& coin) { return exp_minus(coin, x.num, x.den); }, kSmallest);
    const long double p = std::exp(-static_cast<long double>(x.num) / static_cast<long double>(x.den));
    CHECK(found.residual < 1e-10L);
    CHECK(found.low(true) <= p * (1 + kSlack));
    CHECK(found.high(true) >= p * (1 - kSlack));
    CHECK(found.low(false) <= 1 - p + kSlack);
    CHECK(found.high(false) >= 1 - p - kSlack);
  }
}

TEST_CASE("the checks refute a scale one unit too small") {
  for (const Scale scale : kScales) {
    if (scale.s == 1) continue;
    CAPTURE(scale.s);
    CAPTURE(scale.r);
    const auto found = enumerate_laplace<MergingCoin>({scale.s - 1, scale.r}, kSmallest);
    CHECK_FALSE(encloses_law(found, scale));
    CHECK(certified_loss(found, 1) > 1 / scale.t());
  }
}

TEST_CASE("the checks refute a scale too small by one part in a thousand") {
  const auto found = enumerate_laplace<MergingCoin>({999, 1000}, kSmallest);
  CHECK_FALSE(encloses_law(found, {1, 1}));
  CHECK(certified_loss(found, 1) > 1);
}

TEST_CASE("the checks refute a sign that counts zero twice") {
  for (const Scale scale : kScales) {
    CAPTURE(scale.s);
    CAPTURE(scale.r);
    const auto found = enumerate<std::int64_t, MergingCoin>(
        [&](MergingCoin& coin) {
          const auto magnitude = static_cast<std::int64_t>(geometric(coin, scale.s, scale.r));
          return coin.bit() ? -magnitude : magnitude;
        },
        kSmallest);
    CHECK_FALSE(encloses_law(found, scale));
    CHECK(certified_loss(found, 1) > 1 / scale.t());  // the loss is larger by ln 2
  }
}

}  // namespace
}  // namespace hearsay
