#include "aggregator/central/distributional/mirrored_mod.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

using tests::eps;

TEST_CASE("F_m zigzags and moves by at most one") {
  const std::vector<std::uint64_t> expected{0, 1, 2, 2, 1, 0, 0, 1, 2, 2};
  for (std::uint64_t x = 0; x < expected.size(); ++x) CHECK(mirrored_mod(x, 3) == expected[x]);
  for (std::uint64_t m = 1; m < 9; ++m) {
    for (std::uint64_t x = 0; x < 40; ++x) {
      const auto before = static_cast<std::int64_t>(mirrored_mod(x, m));
      CHECK(std::abs(static_cast<std::int64_t>(mirrored_mod(x + 1, m)) - before) <= 1);
      // Definition 7.2, literally
      const auto by_definition = static_cast<std::int64_t>(x % (2 * m) < m ? x % m : (2 * m * (x + 1) - x - 1) % m);
      CHECK(before == by_definition);
    }
  }
}

TEST_CASE("one bit moves the output's law by a factor e^alpha at most, and attains it") {
  const MirroredMod mechanism = MirroredMod::create(4, eps("0.5")).value();
  double worst = 0;
  for (std::uint64_t ones = 0; ones < 16; ++ones) {
    for (std::int64_t output = -20; output <= 20; ++output) {
      worst = std::max(worst, std::abs(mechanism.log_ratio(ones, ones + 1, output)));
    }
  }
  CHECK(worst == 0.5);
  // The ratio is that of the noise's law.
  CHECK(mechanism.log_ratio(1, 3, -2) ==
        doctest::Approx(mechanism.noise().log_probability(-3) - mechanism.noise().log_probability(-5)).epsilon(1e-12));
}

TEST_CASE("the probability of a far pair is that of all pairs of bit strings") {
  constexpr std::uint64_t kBits = 8;
  for (const auto& [m, gap] : {std::pair{3U, 1U}, {3U, 2U}, {5U, 3U}, {2U, 0U}, {4U, 4U}}) {
    double far = 0;
    for (std::uint64_t a = 0; a < 256; ++a) {
      for (std::uint64_t b = 0; b < 256; ++b) {
        const auto x = static_cast<std::int64_t>(mirrored_mod(static_cast<std::uint64_t>(__builtin_popcountll(a)), m));
        const auto y = static_cast<std::int64_t>(mirrored_mod(static_cast<std::uint64_t>(__builtin_popcountll(b)), m));
        far += std::abs(x - y) >= static_cast<std::int64_t>(gap) ? 1 : 0;
      }
    }
    CHECK(far_pair_probability(kBits, m, gap).value() == doctest::Approx(far / 65'536).epsilon(1e-12).scale(1));
  }
}

// α = 1/10: m = 20, gap 10. For n well above m², F is nearly uniform on 20 values: (1 + ... + 10)·2/400 = 0.275.
TEST_CASE("Theorem 7.3: differential privacy without distributional privacy") {
  const MirroredMod mechanism = MirroredMod::separating(eps("0.1")).value();
  CHECK(mechanism.modulus() == 20);
  CHECK(far_pair_probability(10'000, 20, 10).value() == doctest::Approx(0.275).epsilon(1e-6).scale(0));
  SUBCASE("the experiment: a quarter of the pairs are far, by output and by log-ratio; false alarm 1e-9") {
    tests::CounterBitSource bits("mirrored mod");
    std::uint64_t far = 0;
    const auto sum = [&bits] {
      std::uint64_t ones = 0;
      for (int word = 0; word < 63; ++word) ones += static_cast<std::uint64_t>(__builtin_popcountll(bits.bits(64)));
      return ones;
    };
    for (int pair = 0; pair < 2000; ++pair) {
      const std::uint64_t first = sum();
      const std::uint64_t second = sum();
      // Outputs below both values.
      far += std::abs(mechanism.log_ratio(first, second, -1)) >= 1 - 1e-12 ? 1 : 0;
    }
    CHECK(tests::binomial_band(2000, far_pair_probability(63 * 64, 20, 10).value(), 1e-9).contains(far));
  }
  SUBCASE("not for any output: halfway between the values the ratio is 1") {
    CHECK(mechanism.log_ratio(0, 10, -1) == doctest::Approx(1));
    CHECK(mechanism.log_ratio(0, 10, 5) == 0);
  }
  SUBCASE("n must be well above m²: at n = m no pair to speak of is far") {
    CHECK(far_pair_probability(20, 20, 10).value() < 0.01);
  }
  SUBCASE("2/alpha must be an integer") {
    CHECK(MirroredMod::separating(eps("0.3")).error().code == ErrorCode::kInvalidArgument);
    CHECK(MirroredMod::separating(eps("0.4")).value().modulus() == 5);
  }
}

// n + 1 distinct elements; a database leaves one out.
TEST_CASE("Theorem 7.1's pair is drawn with probability 2/(n+1)², if the rows are distinct") {
  for (std::uint64_t n = 1; n < 7; ++n) {
    const auto chance = [n](const std::vector<int>& elements) {
      std::multiset<int> first(elements.begin(), elements.end() - 1);   // D₁ leaves out the last element,
      std::multiset<int> second(elements.begin() + 1, elements.end());  // D₂ the first
      double hits = 0;
      for (std::uint64_t a = 0; a <= n; ++a) {
        for (std::uint64_t b = 0; b <= n; ++b) {
          std::multiset<int> left(elements.begin(), elements.end());
          std::multiset<int> right = left;
          left.erase(left.find(elements[a]));
          right.erase(right.find(elements[b]));
          hits += (left == first && right == second) || (left == second && right == first) ? 1 : 0;
        }
      }
      return hits / static_cast<double>((n + 1) * (n + 1));
    };
    std::vector<int> distinct;
    for (int i = 0; i <= static_cast<int>(n); ++i) distinct.push_back(i);
    CHECK(chance(distinct) == doctest::Approx(neighbour_pair_probability(n)).epsilon(1e-12));
    if (n >= 2) {
      std::vector<int> repeated = distinct;
      repeated[1] = repeated[0];
      CHECK(chance(repeated) > 1.5 * neighbour_pair_probability(n));
    }
  }
}

TEST_CASE("releases add the noise, and what is impossible is refused") {
  tests::CounterBitSource bits("mirrored release");
  const MirroredMod sharp = MirroredMod::create(5, eps("64")).value();
  CHECK(sharp.release(7, 10, bits).value() == 2);  // Pr[Y != 0] = 3e-28
  CHECK_FALSE(sharp.release(3, 2, bits));
  CHECK_FALSE(sharp.release(0, 0, bits));
  CHECK_FALSE(MirroredMod::create(0, eps("1")));
  CHECK_FALSE(MirroredMod::create((std::uint64_t{1} << 32U) + 1, eps("1")));
  CHECK_FALSE(far_pair_probability(0, 3, 1));
  CHECK_FALSE(far_pair_probability(10'000'001, 3, 1));
  CHECK_FALSE(far_pair_probability(10, 0, 1));
  CHECK(std::isfinite(far_pair_probability(10'000'000, 1'000'000, 1000).value()));
  tests::FailingBitSource none;
  CHECK_THROWS_AS((void)sharp.release(1, 2, none), EntropyError);
}

}  // namespace
}  // namespace hearsay::central
