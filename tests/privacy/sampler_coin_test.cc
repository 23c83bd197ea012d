// The coins of the samplers, bit by bit: every sequence of random bytes up to a length is fed to them, so the counts of
// the answers are exact probabilities.

#include <doctest/doctest.h>

#include <vector>

#include "common/base/int128.h"
#include "common/privacy/coin.h"
#include "common/privacy/exponential.h"
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
constexpr std::uint64_t kShort = std::uint64_t{1} << 56U;  // where the coin changes to 128-bit arithmetic
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

const Fraction kHuge{std::uint64_t{1} << 54U, 1};

// Answers over all 256^length sequences of `length` bytes; undecided where the coin wants more bytes.
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

// yes/total <= num/den <= (yes + undecided)/total, in integers.
bool encloses(const Counts& counts, const Fraction& p) {
  const Uint128 scaled = Uint128{p.num} * counts.total();
  return Uint128{counts.yes} * p.den <= scaled && scaled <= Uint128{counts.yes + counts.undecided} * p.den;
}

TEST_CASE("bernoulli has its probability up to the one sequence of bytes that is not decided yet") {
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

// Every sequence of bytes leaves the digits of p at a first position, or not at all (then it is p itself). To the depth
// tested, leaving it downwards means yes and upwards no, so the probability is right up to 256^-24.
TEST_CASE("bernoulli follows the digits of its probability to any depth") {
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
        CHECK_FALSE(bernoulli(equal, p.num, p.den));  // U >= p, whatever follows
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
  // 2^63 + 1 needs 64 bits: the first block is rejected, the second is the largest value.
  ScriptedBitSource twice{1, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0, 128};
  CHECK(uniform_below(twice, kTop + 1) == kTop);
  CHECK(twice.remaining() == 0);
}

// With digits of 8 bits all sequences of two can be fed. The cells' ends are enclosed by another route than the coin's
// own (exponential.h), to 100 bits.
struct Widths {
  std::vector<std::uint64_t> decided;
  std::uint64_t undecided = 0;
};

Widths count_cells(const LaplaceCells& cells) {
  Widths widths{std::vector<std::uint64_t>(cells.size()), 0};
  for (std::uint32_t first = 0; first < 256; ++first) {
    try {
      ScriptedBitSource one{static_cast<std::uint8_t>(first)};
      widths.decided[DigitCoin<8>(one).cell(cells)] += 256;
      continue;
    } catch (const EntropyError&) {
    }
    for (std::uint32_t second = 0; second < 256; ++second) {
      ScriptedBitSource two{static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)};
      try {
        ++widths.decided[DigitCoin<8>(two).cell(cells)];
      } catch (const EntropyError&) {
        ++widths.undecided;
      }
    }
  }
  return widths;
}

ExpMinusEnclosure power_of_q(const LaplaceCells& cells, std::uint64_t exponent) {
  return enclose_exp_minus(Rational::create(exponent, 1).value().divided_by(cells.scale()).value());
}

// Bounds on 2^100·(where cell i ends).
ExpMinusEnclosure end_of(const LaplaceCells& cells, std::size_t i) {
  constexpr Uint128 kOne = Uint128{1} << 126U;
  const auto cell = cells[i];
  const ExpMinusEnclosure q = power_of_q(cells, 1);
  const std::uint64_t exponent = (std::uint64_t{cell.step + 1} << cells.log2_step()) + (cell.negative ? 1 : 0);
  const ExpMinusEnclosure power = cell.beyond ? ExpMinusEnclosure{0, 0} : power_of_q(cells, exponent);
  const Uint128 low = kOne + (cell.negative ? q.lower : 0) - power.upper;
  const Uint128 high = kOne + (cell.negative ? q.upper : 0) - power.lower;
  const auto quotient = [](Uint128 numerator, Uint128 denominator) {  // 2^100·(numerator/denominator), rounded down
    Uint128 result = 0;
    for (int bit = 0; bit <= 100; ++bit) {
      result = result << 1U | (numerator >= denominator ? 1U : 0U);
      if (numerator >= denominator) numerator -= denominator;
      numerator <<= 1U;
    }
    return result;
  };
  return {quotient(low, kOne + q.upper), quotient(high, kOne + q.lower) + 1};
}

const std::vector<Fraction> kCoinScales = {{1, 20}, {1, 3}, {1, 2}, {1, 1}, {7, 3}, {16, 1}, {1'000'000, 1}, kHuge};

LaplaceCells cells_of(const Fraction& scale) { return LaplaceCells(Rational::create(scale.num, scale.den).value()); }

TEST_CASE("a cell has its width up to the sequences of bytes that hold an end") {
  for (const Fraction& scale : {Fraction{1, 3}, Fraction{1, 2}, Fraction{1, 1}, Fraction{3, 2}}) {
    CAPTURE(scale.num);
    CAPTURE(scale.den);
    const LaplaceCells cells = cells_of(scale);
    const Widths widths = count_cells(cells);
    CHECK(widths.undecided < cells.size());  // one for each end at most
    // Undecided sequences lie at the ends in front of which they are counted, so sums are right up to one of them each.
    std::uint64_t before = 0;
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      before += widths.decided[i];
      const ExpMinusEnclosure end = end_of(cells, i);
      CHECK(bool((Uint128{before} << 84U) <= end.upper));
      CHECK(bool((Uint128{before + widths.undecided} << 84U) >= end.lower));
    }
  }
}

// A sequence that the coin does not decide holds an end; one that it decides lies between the ends of its cell.
TEST_CASE("a cell is told exactly where the digits tell it") {
  for (const Fraction& scale : {Fraction{1, 2}, Fraction{3, 2}}) {
    CAPTURE(scale.num);
    const LaplaceCells cells = cells_of(scale);
    std::vector<ExpMinusEnclosure> ends;
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) ends.push_back(end_of(cells, i));
    bool right = true;
    for (std::uint32_t word = 0; word < 65'536; ++word) {
      const Uint128 low = Uint128{word} << 84U;
      const Uint128 high = Uint128{word + 1} << 84U;
      std::size_t expected = 0;
      while (expected < ends.size() && ends[expected].upper <= low) ++expected;
      const bool told = expected == ends.size() || ends[expected].lower >= high;
      ScriptedBitSource bytes{static_cast<std::uint8_t>(word >> 8U), static_cast<std::uint8_t>(word)};
      try {
        const std::size_t cell = DigitCoin<8>(bytes).cell(cells);
        right &= told && cell == expected;
      } catch (const EntropyError&) {
        right &= !told;
      }
    }
    CHECK(right);
  }
}

// The table of 32 bits: at every start and around it. Digits on both sides of an end are told apart; where the first
// does not tell, a second one does.
TEST_CASE("digits of 32 bits lead into the cells whose ends enclose them") {
  for (const Fraction& scale : kCoinScales) {
    CAPTURE(scale.num);
    CAPTURE(scale.den);
    const LaplaceCells cells = cells_of(scale);
    std::vector<ExpMinusEnclosure> ends;
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) ends.push_back(end_of(cells, i));
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const ExpMinusEnclosure& end = ends[i];
      // start <= 2^32·end < start + 2
      const Uint128 start = Uint128{cells.start(i + 1)} << 68U;
      CHECK(bool(start <= end.lower));
      CHECK(bool(end.upper < start + (Uint128{2} << 68U)));
      for (int around = -3; around <= 4; ++around) {
        const std::int64_t digit = std::int64_t{cells.start(i + 1)} + around;
        if (digit < 0 || digit > 0xffffffff) continue;
        for (const std::uint64_t second : {std::uint64_t{0}, std::uint64_t{0x80000000}, std::uint64_t{0xffffffff}}) {
          const std::uint64_t word = static_cast<std::uint64_t>(digit) << 32U | second;
          std::vector<std::uint8_t> bytes;
          for (const std::uint64_t part : {word >> 32U, word & 0xffffffffU}) {
            for (unsigned b = 0; b < 32; b += 8) bytes.push_back(static_cast<std::uint8_t>(part >> b));
          }
          ScriptedBitSource source(bytes);
          std::size_t cell = 0;
          try {
            cell = BitCoin(source).cell(cells);
          } catch (const EntropyError&) {
            continue;  // even 64 bits do not tell
          }
          if (cell > 0) CHECK(bool(ends[cell - 1].lower <= (Uint128{word} + 1) << 36U));
          if (cell < ends.size()) CHECK(bool(ends[cell].upper >= Uint128{word} << 36U));
        }
      }
    }
  }
}

TEST_CASE("an offset is kept with its probability up to the one sequence that is not decided yet") {
  for (const Fraction& scale : {Fraction{16, 1}, Fraction{65, 3}, Fraction{64, 1}, Fraction{1'000'000, 7}}) {
    const LaplaceCells cells = cells_of(scale);
    const std::uint64_t end = std::uint64_t{1} << cells.log2_step();
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1}, end / 2, end - 1}) {
      CAPTURE(scale.num);
      CAPTURE(offset);
      const Counts counts =
          count_answers(2, [&](BitSource& source) { return DigitCoin<8>(source).keeps(cells, offset); });
      CHECK(counts.undecided <= 1);
      const ExpMinusEnclosure p = power_of_q(cells, offset);
      CHECK(bool((Uint128{counts.yes} << 110U) <= p.upper));
      CHECK(bool((Uint128{counts.yes + counts.undecided} << 110U) >= p.lower));
    }
  }
}

// Digits of 32 bits around every threshold of the quick decisions: y, the series, and D itself.
TEST_CASE("an offset is kept by 32 bits exactly where they are at least the complement of its probability") {
  for (const Fraction& scale : {Fraction{16, 1}, Fraction{65, 3}, Fraction{64, 1}, Fraction{1'000'000, 7}, kHuge}) {
    const LaplaceCells cells = cells_of(scale);
    const std::uint64_t end = std::uint64_t{1} << cells.log2_step();
    for (const std::uint64_t offset : {std::uint64_t{1}, end / 2, end - 1}) {
      CAPTURE(scale.num);
      CAPTURE(offset);
      const ExpMinusEnclosure p = power_of_q(cells, offset);
      const Uint128 d_low = (Uint128{1} << 126U) - p.upper;
      const Uint128 d_high = (Uint128{1} << 126U) - p.lower;
      const std::uint64_t y = cells.decay(offset) >> 32U;
      for (const std::uint64_t centre : {static_cast<std::uint64_t>(d_low >> 94U), y}) {
        for (std::int64_t around = -3; around <= 3; ++around) {
          const std::int64_t digit = static_cast<std::int64_t>(centre) + around;
          if (digit < 0) continue;
          const auto v = static_cast<std::uint64_t>(digit);
          ScriptedBitSource bytes{static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v >> 8U),
                                  static_cast<std::uint8_t>(v >> 16U), static_cast<std::uint8_t>(v >> 24U)};
          const Uint128 low = Uint128{v} << 94U;
          const Uint128 high = Uint128{v + 1} << 94U;
          if (low >= d_high) {
            CHECK(BitCoin(bytes).keeps(cells, offset));
          } else if (high <= d_low) {
            CHECK_FALSE(BitCoin(bytes).keeps(cells, offset));
          } else {
            CHECK_THROWS_AS((void)BitCoin(bytes).keeps(cells, offset), EntropyError);
          }
        }
      }
    }
  }
}

// Planted bugs, to show that the check of bernoulli can fail.
TEST_CASE("a comparison that stops at 16 bits or takes equality for yes is refuted") {
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
