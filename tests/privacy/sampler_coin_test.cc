// Checks the samplers' coins bit by bit. The test feeds the coins every sequence of random bytes up to a length, so
// the counts of the answers are exact probabilities.

#include <doctest/doctest.h>

#include <vector>

#include "common/base/int128.h"
#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"

namespace hearsay {
namespace {

using tests::ScriptedBitSource;

struct Fraction {
  std::uint64_t num;
  std::uint64_t den;
};

constexpr std::uint64_t kTop = std::uint64_t{1} << 63U;
constexpr std::uint64_t kShort = std::uint64_t{1} << 56U;  // from here on the coin uses 128-bit arithmetic
constexpr std::uint64_t kAll = ~std::uint64_t{0};

const std::vector<Fraction> kProbabilities = {{0, 1},
                                              {1, 1},
                                              {1, 2},
                                              {1, 3},
                                              {2, 3},
                                              {5, 32},
                                              {255, 256},
                                              {1, 256},
                                              {1, 257},
                                              {4095, 4096},
                                              {1, 65'536},
                                              {65'535, 65'536},
                                              {1, 65'537},
                                              {1'000'000, 1'000'003},
                                              {kShort - 1, kShort},
                                              {kShort / 3, kShort},
                                              {kShort / 3, kShort + 1},
                                              {kShort, kShort + 1},
                                              {1, kTop},
                                              {kTop - 1, kTop},
                                              {kTop / 3 * 2, kTop},
                                              {kAll - 1, kAll},
                                              {kAll / 7, kAll}};

// Counts answers over all 256^length sequences of `length` bytes. After the `undecided` sequences the coin wants more
// bytes.
struct Counts {
  std::uint64_t yes = 0;
  std::uint64_t no = 0;
  std::uint64_t undecided = 0;
  std::uint64_t total() const { return yes + no + undecided; }
};

template <class Coin>
Counts count_answers(unsigned length, const Coin& coin) {
  Counts counts;
  for (std::uint32_t word = 0; word < (1U << (8 * length)); ++word) {
    std::vector<std::uint8_t> bytes;
    for (unsigned i = length; i > 0; --i) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * (i - 1))));
    ScriptedBitSource source(bytes);
    try {
      ++(coin(source) ? counts.yes : counts.no);
    } catch (const EntropyError&) {
      ++counts.undecided;
    }
  }
  return counts;
}

// Checks that yes/total <= num/den <= (yes + undecided)/total, in integers.
bool encloses(const Counts& counts, const Fraction& p) {
  const Uint128 scaled = Uint128{p.num} * counts.total();
  return Uint128{counts.yes} * p.den <= scaled && scaled <= Uint128{counts.yes + counts.undecided} * p.den;
}

TEST_CASE("bernoulli has its probability except for the one sequence of bytes that does not decide") {
  for (const auto& p : kProbabilities) {
    CAPTURE(p.num);
    CAPTURE(p.den);
    for (const unsigned length : {1U, 2U}) {
      const Counts counts = count_answers(length, [&](BitSource& source) { return bernoulli(source, p.num, p.den); });
      CHECK(counts.undecided <= 1);
      CHECK(encloses(counts, p));
    }
  }
}

// Compares a sequence of bytes with the digits of p in base 256. At the first difference, a smaller byte means yes and
// a larger byte no. The test goes to 24 digits, so the probability is right up to 256^-24.
TEST_CASE("bernoulli follows the first 24 digits of its probability") {
  for (const auto& p : kProbabilities) {
    CAPTURE(p.num);
    CAPTURE(p.den);
    std::vector<std::uint8_t> digits;
    Uint128 rest = p.num;
    for (int depth = 0; depth < 24 && rest != 0 && p.num < p.den; ++depth) {
      const auto digit = static_cast<std::uint8_t>(rest * 256 / p.den);
      rest = rest * 256 % p.den;
      std::vector<std::uint8_t> script = digits;
      script.push_back(digit);
      if (digit > 0) {
        script.back() = static_cast<std::uint8_t>(digit - 1);
        ScriptedBitSource below(script);
        CHECK(bernoulli(below, p.num, p.den));
        CHECK(below.remaining() == 0);
      }
      if (digit < 255) {
        script.back() = static_cast<std::uint8_t>(digit + 1);
        ScriptedBitSource above(script);
        CHECK_FALSE(bernoulli(above, p.num, p.den));
        CHECK(above.remaining() == 0);
      }
      digits.push_back(digit);
      ScriptedBitSource equal(digits);
      if (rest == 0) {
        CHECK_FALSE(bernoulli(equal, p.num, p.den));  // U >= p, whatever bytes follow
      } else {
        CHECK_THROWS_AS((void)bernoulli(equal, p.num, p.den), EntropyError);
      }
    }
  }
}

TEST_CASE("a certain event costs no bits") {
  tests::FailingBitSource none;
  CHECK(bernoulli(none, 7, 7));
  CHECK(bernoulli(none, 8, 7));
  CHECK_FALSE(bernoulli(none, 0, 7));
  CHECK(bernoulli_exp_minus(none, 0, 7));
  CHECK(uniform_below(none, 1) == 0);
}

TEST_CASE("uniform_below gives every value the same number of byte sequences") {
  for (const std::uint64_t n :
       {2U, 3U, 5U, 7U, 10U, 32U, 127U, 128U, 129U, 255U, 256U, 257U, 1000U, 4096U, 65'535U, 65'536U}) {
    CAPTURE(n);
    const unsigned length = n <= 256 ? 1 : 2;
    const std::uint32_t sequences = 1U << (8 * length);
    std::vector<std::uint32_t> count(n);
    std::uint32_t rejected = 0;
    for (std::uint32_t word = 0; word < sequences; ++word) {
      ScriptedBitSource source =
          length == 1 ? ScriptedBitSource{static_cast<std::uint8_t>(word)}
                      : ScriptedBitSource{static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8U)};
      try {
        const std::uint64_t value = uniform_below(source, n);
        REQUIRE(value < n);
        ++count[value];
      } catch (const EntropyError&) {
        ++rejected;
      }
    }
    for (const std::uint32_t c : count) CHECK(c == count[0]);
    CHECK(count[0] > 0);
    CHECK(rejected < sequences / 2);
  }
}

TEST_CASE("uniform_below reaches 64 bits") {
  ScriptedBitSource all{255, 255, 255, 255, 255, 255, 255, 255};
  CHECK(uniform_below(all, 0) == kAll);
  // 2^63 + 1 needs 64 bits. The sampler rejects the first block. The second block is the largest value.
  ScriptedBitSource twice{1, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0, 128};
  CHECK(uniform_below(twice, kTop + 1) == kTop);
  CHECK(twice.remaining() == 0);
}

TEST_CASE("the check refutes a comparison that stops at 16 bits or takes equality for yes") {
  const Fraction third{1, 3};
  const Counts short_coin = count_answers(
      2, [&](BitSource& source) { return (source.byte() * 256U + source.byte()) * third.den < third.num * 65'536; });
  CHECK_FALSE(encloses(short_coin, third));
  const Fraction half{1, 2};
  const Counts or_equal =
      count_answers(1, [&](BitSource& source) { return source.byte() * half.den <= half.num * 256; });
  CHECK_FALSE(encloses(or_equal, half));
}

}  // namespace
}  // namespace hearsay
