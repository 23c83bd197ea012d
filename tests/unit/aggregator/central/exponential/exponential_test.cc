#include "aggregator/central/exponential/exponential_mechanism.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "aggregator/central/exponential/chain.h"
#include "aggregator/central/exponential/permute_and_flip.h"
#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/selection_laws.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

using tests::log_law;
using tests::ratio;

GapDecay decay(const Rational& epsilon, const Rational& sensitivity,
               ScoreMovement movement = ScoreMovement::kEitherWay) {
  return GapDecay::create(epsilon, sensitivity, movement).value();
}

long double distance(const std::vector<long double>& a, const std::vector<long double>& b) {
  long double largest = 0;
  for (std::size_t c = 0; c < a.size(); ++c) largest = std::max(largest, std::abs(a[c] - b[c]));
  return largest;
}

TEST_CASE("the rate is exactly ε over twice the sensitivity, or ε over the sensitivity if scores move one way") {
  CHECK(decay(ratio(1, 3), ratio(5, 7)).rate() == ratio(7, 30));
  CHECK(decay(ratio(1, 3), ratio(5, 7), ScoreMovement::kOneWay).rate() == ratio(7, 15));
}

TEST_CASE("the law of the exponential mechanism agrees with the definition of the mechanism") {
  const std::vector<std::int64_t> scores{3, -2, 0, 3, 1};
  const auto law = log_law(ExponentialMechanism(decay(ratio(3, 2), ratio(2))), scores);
  long double total = 0;
  for (const std::int64_t s : scores) total += std::exp(0.375L * static_cast<long double>(s));
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const long double expected = std::exp(0.375L * static_cast<long double>(scores[c])) / total;
    CHECK(std::abs(std::exp(law[c]) - expected) < 1e-17L);
  }
}

TEST_CASE("the law of permute-and-flip is the mean over all orders of the candidates") {
  const std::vector<std::int64_t> scores{4, 2, 4, 0, 3};
  const GapDecay d = decay(ratio(1), ratio(1));
  std::vector<long double> expected(scores.size(), 0);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  long double orders = 0;
  do {
    long double reached = 1;
    for (const std::size_t c : order) {
      const long double w = std::exp(-0.5L * static_cast<long double>(4 - scores[c]));
      expected[c] += reached * w;
      reached *= 1 - w;
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  const auto law = log_law(PermuteAndFlip(d), scores);
  for (std::size_t c = 0; c < scores.size(); ++c) CHECK(std::abs(std::exp(law[c]) - expected[c] / orders) < 1e-17L);
}

// Draws 20,000 times from each mechanism with 4 candidates. Each of the 8 counts has a false alarm of 1e-9.
TEST_CASE("the exponential mechanism and permute-and-flip draw from their laws") {
  tests::CounterBitSource bits("exponential draws");
  const std::vector<std::int64_t> scores{10, 7, 9, 4};
  const GapDecay d = decay(ratio(4, 5), ratio(1));
  constexpr std::uint64_t kRuns = 20'000;
  const auto check = [&](const auto& mechanism) {
    std::vector<std::uint64_t> seen(scores.size(), 0);
    for (std::uint64_t i = 0; i < kRuns; ++i) ++seen[mechanism.release(scores, bits).value()];
    const auto law = log_law(mechanism, scores);
    for (std::size_t c = 0; c < scores.size(); ++c) {
      const auto p = static_cast<double>(std::exp(law[c]));
      CHECK(tests::binomial_band(kRuns, p, 1e-9).contains(seen[c]));
    }
  };
  check(ExponentialMechanism(d));
  check(PermuteAndFlip(d));
}

// Score vectors on {0,1,2}^3 are neighbours if their entries differ by at most the sensitivity 1.
TEST_CASE("the largest log-ratio between neighbours is at most ε, but exceeds ε without the factor 2 of the rate") {
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t code = 0; code < 27; ++code) all.push_back({code % 3, code / 3 % 3, code / 9});
  const auto worst = [&all](const auto& mechanism, bool one_way) {
    long double largest = 0;
    for (const auto& a : all) {
      for (const auto& b : all) {
        bool near = true;
        for (std::size_t c = 0; c < 3; ++c)
          near = near && (one_way ? b[c] >= a[c] : a[c] - b[c] <= 1) && b[c] - a[c] <= 1;
        if (near) largest = std::max(largest, distance(log_law(mechanism, a), log_law(mechanism, b)));
      }
    }
    return largest;
  };
  constexpr long double kOne = 1 + 1e-16L;  // logarithms are rounded, and permute-and-flip attains ε
  const GapDecay either = decay(ratio(1), ratio(1));
  const GapDecay one_way = decay(ratio(1), ratio(1), ScoreMovement::kOneWay);
  CHECK(worst(ExponentialMechanism(either), false) <= kOne);
  CHECK(worst(PermuteAndFlip(either), false) <= kOne);
  CHECK(worst(ExponentialMechanism(one_way), true) <= kOne);
  CHECK(worst(PermuteAndFlip(one_way), true) <= kOne);
  CHECK(worst(ExponentialMechanism(one_way), false) > 1.2L);
  CHECK(worst(PermuteAndFlip(one_way), false) > 1.2L);
}

// One candidate gains and very many lose, so the log-ratio is near ε. So the factor 2 of the rate cannot be smaller.
TEST_CASE("the loss of the exponential mechanism reaches its epsilon to within 1e-6") {
  constexpr std::size_t kOthers = 4'000'000;
  std::vector<std::int64_t> a(kOthers + 1, 1);
  std::vector<std::int64_t> b(kOthers + 1, 0);
  a[0] = 0;
  b[0] = 1;
  const ExponentialMechanism mechanism(decay(ratio(1), ratio(1)));
  const long double log_ratio = log_law(mechanism, b)[0] - log_law(mechanism, a)[0];
  CHECK(log_ratio <= 1.0L);
  CHECK(log_ratio > 1 - 1e-6L);
}

TEST_CASE("scores of any range neither overflow nor underflow") {
  tests::CounterBitSource bits("exponential ranges");
  for (const std::int64_t range :
       {std::int64_t{1'000'000}, std::int64_t{1'000'000'000'000}, std::numeric_limits<std::int64_t>::max()}) {
    const std::vector<std::int64_t> scores{-range, range, range - 1, 0};
    for (const Rational& epsilon : {ratio(1, 1'000'000'000), ratio(1), ratio(710), ratio(std::uint64_t{1} << 62U)}) {
      const ExponentialMechanism mechanism(decay(epsilon, ratio(1)));
      const auto law = log_law(mechanism, scores);
      long double total = 0;
      for (const long double l : law) {
        CHECK(std::isfinite(l));
        total += std::exp(l);
      }
      CHECK(std::abs(total - 1) < 1e-15L);
      CHECK(mechanism.release(scores, bits).value() < 4);
      CHECK(PermuteAndFlip(decay(epsilon, ratio(1))).release(scores, bits).value() < 4);
    }
  }
  // With ε = 1 and a range of 10^6, only the last two candidates are likely. Their scores differ by 1, so the best
  // candidate has the probability 1/(1 + e^{-1/2}) = 0.6225. False alarm: 1e-9.
  const ExponentialMechanism mechanism(decay(ratio(1), ratio(1)));
  const std::vector<std::int64_t> scores{-1'000'000, 999'999, 1'000'000};
  std::uint64_t best = 0;
  for (int i = 0; i < 10'000; ++i) best += mechanism.release(scores, bits).value() == 2 ? 1 : 0;
  CHECK(tests::binomial_band(10'000, 1 / (1 + std::exp(-0.5)), 1e-9).contains(best));
}

// In the worst case there is one best candidate, and all other scores are just at the bound.
TEST_CASE("the answer's score falls short of the best by more than the bound with probability at most beta") {
  for (const std::uint64_t n : {2U, 50U, 1000U}) {
    for (const double beta : {0.3, 0.01}) {
      const GapDecay d = decay(ratio(1), ratio(1));
      const auto bound = static_cast<std::int64_t>(std::ceil(d.shortfall_bound(n, beta).value()));
      std::vector<std::int64_t> scores(n, -bound);
      scores[0] = 0;
      const auto exponential = log_law(ExponentialMechanism(d), scores);
      const auto flip = log_law(PermuteAndFlip(d), scores);
      CHECK(1 - std::exp(exponential[0]) <= static_cast<long double>(beta));
      // Rounding costs at most a factor of e^{1/2}.
      CHECK(1 - std::exp(exponential[0]) > static_cast<long double>(beta) / 4);
      CHECK(flip[0] >= exponential[0]);
    }
  }
}

TEST_CASE("parameters out of range are refused, and so is a choice without candidates") {
  tests::CounterBitSource bits("exponential refusals");
  CHECK(GapDecay::create(ratio(0), ratio(1), ScoreMovement::kOneWay).error().code == ErrorCode::kInvalidArgument);
  CHECK(GapDecay::create(ratio(1), ratio(0), ScoreMovement::kOneWay).error().code == ErrorCode::kInvalidArgument);
  const Rational tiny = ratio(1, std::numeric_limits<std::uint64_t>::max());
  CHECK(GapDecay::create(tiny, ratio(3, 2), ScoreMovement::kEitherWay).error().code == ErrorCode::kOverflow);
  const GapDecay d = decay(ratio(1), ratio(1));
  CHECK(ExponentialMechanism(d).release({}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(PermuteAndFlip(d).release({}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(d.shortfall_bound(0, 0.5).error().code == ErrorCode::kInvalidArgument);
  for (const double bad : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(d.shortfall_bound(2, bad).error().code == ErrorCode::kInvalidArgument);
  }
  tests::FailingBitSource none;
  const std::vector<std::int64_t> scores{0, 1};
  CHECK_THROWS_AS((void)ExponentialMechanism(d).release(scores, none), EntropyError);
}

// The chain moves on a ring of 6 states, in steps to either side. The transition matrix gives the law after 60 steps,
// which 20,000 runs follow (6 bands of false alarm 1e-9).
TEST_CASE("the chain follows its transition matrix to the exponential mechanism") {
  const std::vector<std::int64_t> scores{0, 3, 1, 5, 2, 4};
  const GapDecay d = decay(ratio(1), ratio(1));
  constexpr int kSteps = 60;
  std::vector<double> law(6, 0);
  law[0] = 1;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> next(6, 0);
    for (std::size_t from = 0; from < 6; ++from) {
      for (const std::size_t to : {(from + 1) % 6, (from + 5) % 6}) {
        const double accept = std::min(1.0, std::exp(0.5 * static_cast<double>(scores[to] - scores[from])));
        next[to] += law[from] * 0.5 * accept;
        next[from] += law[from] * 0.5 * (1 - accept);
      }
    }
    law = next;
  }
  tests::CounterBitSource bits("chain");
  std::vector<std::uint64_t> seen(6, 0);
  for (int run = 0; run < 20'000; ++run) {
    const std::size_t end = metropolis(
        d, std::size_t{0}, [](std::size_t at, BitSource& source) { return (at + (source.bits(1) == 0 ? 1 : 5)) % 6; },
        [&scores](std::size_t at) { return scores[at]; }, kSteps, bits);
    ++seen[end];
  }
  const auto limit = log_law(ExponentialMechanism(d), scores);
  double variation = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(tests::binomial_band(20'000, law[i], 1e-9).contains(seen[i]));
    variation += std::abs(law[i] - static_cast<double>(std::exp(limit[i]))) / 2;
  }
  CHECK(variation < 1e-3);
}

}  // namespace
}  // namespace hearsay::central
