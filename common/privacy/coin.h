// The coins every sampler is made of: exact uniform and Bernoulli draws from bits, in integers only.
#pragma once

#include <openssl/crypto.h>

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/int128.h"
#include "common/privacy/laplace_cells.h"
#include "common/privacy/lazy_comparison.h"
#include "common/random/bit_source.h"

namespace hearsay {

// The production coin. Samplers are templates over a coin (exact_samplers.h), so that the tests can walk the same code
// with a coin that branches over every outcome. One thread at a time, like the source it reads.
//
// kDigitBits: how much of a uniform number is drawn at once where it is compared with exponentials, 32 or 8. The law is
// the same; tests feed every sequence of a coin with 8.
template <unsigned kDigitBits>
class DigitCoin {
 public:
  explicit DigitCoin(BitSource& source) : source_(source) {}

  // Uniform on {0, ..., n-1}; n = 0 stands for 2^64. Exact: a block of w = bit_width(n-1) bits is uniform on 2^w
  // values, and conditioning it on being below n leaves every such value equally likely. Fewer than 2 blocks expected.
  std::uint64_t uniform_below(std::uint64_t n) {
    const std::uint64_t last = n - 1;
    const auto width = static_cast<unsigned>(std::bit_width(last));
    for (;;) {
      const std::uint64_t value = source_.bits(width);
      if (value <= last) return value;
    }
  }

  // True with probability min(1, num/den), exactly, for any 64-bit integers. The random bytes are the base-256 digits
  // of a uniform U in [0,1), and the answer is U < num/den: digit by digit until one differs, 1.004 bytes expected.
  bool bernoulli(std::uint64_t num, std::uint64_t den) {
    if (num >= den) return true;
    return den <= kShortDenominator ? draw_below<std::uint64_t>(num, den) : draw_below<Uint128>(num, den);
  }

  // The cell that a uniform number falls into: each has its width as probability, exactly.
  std::size_t cell(const LaplaceCells& cells) {
    const std::uint32_t digit = draw_digit();
    const std::size_t found = cells.template find<kDigitBits>(digit);
    if (found < cells.size()) [[likely]]
      return found;
    Digits digits(digit);
    std::size_t i = cells.template first_possible<kDigitBits>(digit);
    while (i + 1 < cells.size() && !is_below(digits, cells.end(i), cells.scale())) ++i;
    return i;
  }

  // True with probability exp(-offset/t), exactly, for offset < 2^k, k = cells.log2_step() > 0: whether a uniform V is
  // at least D = 1 - exp(-y), y = offset/t < 1/8. Since D <= y, most V need no more than y.
  bool keeps(const LaplaceCells& cells, std::uint64_t offset) {
    const std::uint32_t digit = draw_digit();
    const std::uint64_t v = std::uint64_t{digit} << (64 - kDigitBits);  // v <= 2^64·V < v + 2^(64-kDigitBits)
    const std::uint64_t y = cells.decay(offset);
    if (v >= y + 2) [[likely]]
      return true;
    return keeps_by_series(v, y, digit, offset, cells);
  }

 private:
  // The digits of one uniform number, cleansed in the end. More than are reserved are drawn once in 2^500 times.
  struct Digits {
    explicit Digits(std::uint32_t first) {
      drawn.reserve(512 / kDigitBits);
      drawn.push_back(first);
    }
    ~Digits() { OPENSSL_cleanse(drawn.data(), drawn.size() * sizeof(std::uint32_t)); }
    Digits(const Digits&) = delete;
    Digits& operator=(const Digits&) = delete;
    std::vector<std::uint32_t> drawn;
  };

  std::uint32_t draw_digit() { return static_cast<std::uint32_t>(source_.bits(kDigitBits)); }

  // Whether the uniform number that begins with these digits is below the fraction, drawing as many more as it takes.
  bool is_below(Digits& digits, const ExponentialFraction& fraction, const Rational& scale) {
    for (;;) {
      const std::partial_ordering order = hearsay::compare_digits(digits.drawn, kDigitBits, fraction, scale);
      if (order != std::partial_ordering::unordered) return order < 0;
      digits.drawn.push_back(draw_digit());
    }
  }

  // D lies between y - y²/2 + y³/6 - y⁴/24 and y⁵/120 more. In units of 2^-64, y is less than 2 too small, so that
  // every term below is less than 2 too small too; in all, D is at least `sum` - 4 and at most `sum` + fifth + 6.
  bool keeps_by_series(std::uint64_t v, std::uint64_t y, std::uint32_t digit, std::uint64_t offset,
                       const LaplaceCells& cells) {
    constexpr std::uint64_t kSlack = 8;
    const auto times_y = [y](std::uint64_t a) { return static_cast<std::uint64_t>((Uint128{a} * y) >> 64U); };
    const std::uint64_t second = times_y(y) / 2;
    const std::uint64_t third = times_y(second) / 3;
    const std::uint64_t fourth = times_y(third) / 4;
    const std::uint64_t fifth = times_y(fourth) / 5;
    const std::uint64_t sum = y - second + third - fourth;
    if (v + (std::uint64_t{1} << (64 - kDigitBits)) + kSlack <= sum) return false;
    if (v >= sum + fifth + kSlack) return true;
    Digits digits(digit);
    return !is_below(digits, {.exponent = offset, .minus_power = true}, cells.scale());
  }

  // Up to here 256·num and 255·den fit 64 bits.
  static constexpr std::uint64_t kShortDenominator = std::uint64_t{1} << 56U;

  // Invariant: num < den, and the digits read so far agree with those of the probability, whose remainder is num/den.
  // With digit d = floor(256·num/den), a byte b has b > d iff b·den > 256·num, and b < d iff 256·num - b·den >= den;
  // no division is needed. When the remainder is 0, U is at least the probability.
  template <class Integer>
  bool draw_below(Integer num, Integer den) {
    while (num != 0) {
      const Integer shifted = num << 8U;
      const Integer reached = source_.byte() * den;
      if (reached > shifted) return false;
      num = shifted - reached;
      if (num >= den) return true;
    }
    return false;
  }

  BitSource& source_;
};

using BitCoin = DigitCoin<32>;

}  // namespace hearsay
