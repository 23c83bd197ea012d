// Tests section 7 of Blum, Ligett, Roth 2008. Distributional privacy demands that two whole databases from one
// distribution are hard to tell apart, not only neighbours. The output is F_m of the number of ones plus noise. F_m
// goes up and down like a zigzag of height m = 2/α. Two independent databases are 1/α apart with a constant
// probability. (For even m and n well above m² this probability is 1/4 + 1/(2m).) Then every output outside of the two
// values tells the databases apart by a log-ratio of at least 1.
//
// The tests correct the paper:
// - Theorem 7.3 holds only for outputs that are not between the two values. m = 2/α must be an integer. n must be well
//   above 1/α². For n = m the probability is 3/8 at m = 2, 0.075 at 8 and 0.0125 at 14. From m = 16 on the probability
//   is below 1 %.
// - In Theorem 7.1 a pair of neighbours is drawn with probability 2/(n+1)², not 2/n². The rows must be distinct, and β
//   < 1/(n+1)².

#include "aggregator/central/audit/mirrored_mod.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "common/privacy/discrete_laplace.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

using tests::ratio;

// Returns ln(Pr[output | ones1]/Pr[output | ones2]) at modulus m, which is α·(|output - F_m(ones2)| - |output -
// F_m(ones1)|).
double log_ratio(double alpha, std::uint64_t m, std::uint64_t ones1, std::uint64_t ones2, std::int64_t output) {
  const auto distance = [&](std::uint64_t ones) {
    return std::abs(static_cast<double>(output) - static_cast<double>(mirrored_mod(ones, m)));
  };
  return (distance(ones2) - distance(ones1)) * alpha;
}

// Returns Pr[|F_m(S₁) - F_m(S₂)| >= gap] for independent sums S₁, S₂ of n fair bits. By Theorem 7.3 this probability
// is bounded away from 0 for m = 2/α and gap = 1/α.
double far_pair_probability(std::uint64_t n, std::uint64_t m, std::uint64_t gap) {
  // Computes the binomial law outwards from its middle, relative to the middle.
  std::vector<double> value(m, 0);
  double total = 0;
  const auto spread = [&](bool upwards) {
    double weight = 1;
    std::uint64_t s = n / 2;
    while (weight > 0) {
      if (upwards || s != n / 2) {
        value[mirrored_mod(s, m)] += weight;
        total += weight;
      }
      if (s == (upwards ? n : 0)) break;
      const auto up = static_cast<double>(n - s);
      const auto down = static_cast<double>(s);
      weight *= upwards ? up / (down + 1) : down / (up + 1);
      s = upwards ? s + 1 : s - 1;
    }
  };
  spread(true);
  spread(false);
  if (gap == 0) return 1.0;
  if (gap >= m) return 0.0;
  double far = 0;
  double below = 0;  // the probability of the values up to v - gap
  for (std::uint64_t v = gap; v < m; ++v) {
    below += value[v - gap];
    far += 2 * value[v] * below;
  }
  return std::min(far / total / total, 1.0);
}

// Theorem 7.1 draws two databases of n out of n + 1 distinct elements. The two databases are a given pair of
// neighbours, in either order, with probability 2/(n+1)². (The paper prints 2/n².) In a given order the probability is
// half of this.
double neighbour_pair_probability(std::uint64_t n) {
  const double elements = static_cast<double>(n) + 1;
  return 2 / (elements * elements);
}

TEST_CASE("F_m goes up and down by steps of one") {
  const std::vector<std::uint64_t> expected{0, 1, 2, 2, 1, 0, 0, 1, 2, 2};
  for (std::uint64_t x = 0; x < expected.size(); ++x) CHECK(mirrored_mod(x, 3) == expected[x]);
  for (std::uint64_t m = 1; m < 9; ++m) {
    for (std::uint64_t x = 0; x < 40; ++x) {
      const auto before = static_cast<std::int64_t>(mirrored_mod(x, m));
      CHECK(std::abs(static_cast<std::int64_t>(mirrored_mod(x + 1, m)) - before) <= 1);
      const auto by_definition = static_cast<std::int64_t>(x % (2 * m) < m ? x % m : (2 * m * (x + 1) - x - 1) % m);
      CHECK(before == by_definition);
    }
  }
}

TEST_CASE("one bit changes the law of the output by a factor of at most e^alpha, and attains this factor") {
  double worst = 0;
  for (std::uint64_t ones = 0; ones < 16; ++ones) {
    for (std::int64_t output = -20; output <= 20; ++output) {
      worst = std::max(worst, std::abs(log_ratio(0.5, 4, ones, ones + 1, output)));
    }
  }
  CHECK(worst == 0.5);
  // The ratio of the output's two probabilities is that of the noise.
  const DiscreteLaplace noise = DiscreteLaplace::create(ratio(2)).value();
  CHECK(log_ratio(0.5, 4, 1, 3, -2) ==
        doctest::Approx(noise.log_probability(-3) - noise.log_probability(-5)).epsilon(1e-12));
}

TEST_CASE("the probability of a far pair agrees with counting all pairs of bit strings") {
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
    CHECK(far_pair_probability(kBits, m, gap) == doctest::Approx(far / 65'536).epsilon(1e-12).scale(1));
  }
}

// α = 1/10 gives m = 20 and the gap 10. For n well above m², F is nearly uniform on 20 values, so the probability is
// (1 + ... + 10)·2/400 = 0.275.
TEST_CASE("Theorem 7.3: differential privacy does not imply distributional privacy") {
  CHECK(far_pair_probability(10'000, 20, 10) == doctest::Approx(0.275).epsilon(1e-6).scale(0));
  SUBCASE("in an experiment a quarter of the pairs are far, by output and by log-ratio (false alarm 1e-9)") {
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
      far += std::abs(log_ratio(0.1, 20, first, second, -1)) >= 1 - 1e-12 ? 1 : 0;
    }
    CHECK(tests::binomial_band(2000, far_pair_probability(63 * 64, 20, 10), 1e-9).contains(far));
  }
  SUBCASE("for outputs halfway between the two values Theorem 7.3 fails, because the ratio is 1") {
    CHECK(log_ratio(0.1, 20, 0, 10, -1) == doctest::Approx(1));
    CHECK(log_ratio(0.1, 20, 0, 10, 5) == 0);
  }
  SUBCASE("Theorem 7.3 needs n well above m², since at n = m hardly any pair is far") {
    CHECK(far_pair_probability(20, 20, 10) < 0.01);
    // F_2 of 0, 1 and 2 ones is 0, 1 and 1. A pair differs with probability 2·(1/4)·(3/4).
    CHECK(far_pair_probability(2, 2, 1) == doctest::Approx(0.375).epsilon(1e-12).scale(0));
    CHECK(far_pair_probability(8, 8, 4) == doctest::Approx(0.0746765).epsilon(1e-6).scale(0));
    for (std::uint64_t m = 2; m < 100; m += 2) CHECK((far_pair_probability(m, m, m / 2) < 0.01) == (m >= 16));
  }
}

// There are n + 1 distinct elements, and a database leaves out one of them.
TEST_CASE("if the rows are distinct, the pair of Theorem 7.1 is drawn with probability 2/(n+1)²") {
  for (std::uint64_t n = 1; n < 7; ++n) {
    const auto chance = [n](const std::vector<int>& elements) {
      std::multiset<int> first(elements.begin(), elements.end() - 1);   // D₁ leaves out the last element
      std::multiset<int> second(elements.begin() + 1, elements.end());  // D₂ leaves out the first element
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

}  // namespace
}  // namespace hearsay::central
