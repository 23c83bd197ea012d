// The coin that all samplers use: it makes exact uniform and Bernoulli draws from bits, in integers only.
#pragma once

#include <bit>
#include <cstdint>

#include "common/base/int128.h"
#include "common/random/bit_source.h"

namespace hearsay {

// The production coin. Samplers are templates over a coin (exact_samplers.h), so tests can run the same code with a
// coin that branches over every outcome. Thread-safety: one thread at a time, like the source it reads.
class BitCoin {
 public:
  explicit BitCoin(BitSource& source) : source_(source) {}

  bool bit() { return (source_.byte() & 1U) != 0; }

  // Returns a uniform number in {0, ..., n-1}; n = 0 stands for 2^64. Exact: a block of w = bit_width(n-1) bits is
  // uniform on 2^w values, and a block that is not below n is drawn again. Draws fewer than 2 blocks on average.
  std::uint64_t uniform_below(std::uint64_t n) {
    const std::uint64_t last = n - 1;
    const auto width = static_cast<unsigned>(std::bit_width(last));
    for (;;) {
      const std::uint64_t value = source_.bits(width);
      if (value <= last) return value;
    }
  }

  // Returns true with probability min(1, num/den), exactly, for any 64-bit integers. The random bytes are the base-256
  // digits of a uniform U in [0,1), and the answer is U < num/den. Reads digits until one differs: at most
  // 256/255 bytes on average.
  bool bernoulli(std::uint64_t num, std::uint64_t den) {
    if (num >= den) return true;
    return den <= kShortDenominator ? compare_digits<std::uint64_t>(num, den) : compare_digits<Uint128>(num, den);
  }

 private:
  // For denominators up to kShortDenominator, 256·num and 255·den fit 64 bits.
  static constexpr std::uint64_t kShortDenominator = std::uint64_t{1} << 56U;

  // Invariant: num < den, and the digits read so far agree with the probability's digits. The rest of the probability
  // is num/den. With the next digit d = floor(256·num/den), a byte b has b > d iff b·den > 256·num, and b < d iff
  // 256·num - b·den >= den; so no division is needed. If the remainder is 0, U is at least the probability.
  template <class Integer>
  bool compare_digits(Integer num, Integer den) {
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

}  // namespace hearsay
