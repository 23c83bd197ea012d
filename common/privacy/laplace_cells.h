// The table from which discrete Laplace noise is drawn by inversion.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/int128.h"
#include "common/base/rational.h"
#include "common/privacy/lazy_comparison.h"

namespace hearsay {

// With q = exp(-1/t), the noise is Y = G with probability 1/(1+q) and Y = -1-G otherwise, where Pr[G = m] = (1-q)·q^m:
// then Pr[Y = m] = Pr[Y = -m] = (1-q)·q^m/(1+q). G = offset + step·2^k, independent of each other, offset below 2^k
// with weights q^offset, step geometric with ratio q^(2^k). k is the largest with 2^k <= t/8, or 0.
//
// A cell is a sign and a step, or a sign and "n steps or more" (geometric: then n and as much again as a fresh step).
// Cells lie one behind the other in [0, 1): those of the positive sign 0, 1, …, n-1, more, then those of the negative.
class LaplaceCells {
 public:
  static constexpr std::uint32_t kMostSteps = 64;

  explicit LaplaceCells(const Rational& scale);  // above 0 and at most 2^54

  struct Cell {
    bool negative;
    bool beyond;  // `step` or more
    std::uint32_t step;
  };

  const Rational& scale() const { return scale_; }
  unsigned log2_step() const { return log2_step_; }  // k
  std::uint32_t steps() const { return steps_; }     // n
  std::size_t size() const { return 2 * (std::size_t{steps_} + 1); }
  Cell operator[](std::size_t i) const {
    const bool negative = i > steps_;
    const auto step = static_cast<std::uint32_t>(negative ? i - steps_ - 1 : i);
    return {negative, step == steps_, step};
  }
  // Where cell i, but the last one, ends.
  ExponentialFraction end(std::size_t i) const;

  // Cell i begins at b with start(i) <= 2^32·b < start(i) + 2.
  std::uint32_t start(std::size_t i) const { return starts_[i]; }

  // The cell of every U whose first 32 or 8 bits these are, or size() where they do not decide.
  template <unsigned kDigitBits>
  std::size_t find(std::uint32_t digit) const {
    constexpr unsigned kDropped = 32 - kDigitBits;
    std::size_t i = guide_[digit >> (kDigitBits - kGuideBits)];
    while (i + 1 < starts_.size() && digit >= starts_[i + 1] >> kDropped) ++i;
    return digit - (starts_[i] >> kDropped) <= 1 ? size() : i;
  }
  // The first cell that does not surely end before every such U.
  template <unsigned kDigitBits>
  std::size_t first_possible(std::uint32_t digit) const {
    std::size_t i = 0;
    while (i + 1 < size() && digit >= (std::uint64_t{starts_[i + 1]} >> (32 - kDigitBits)) + 2) ++i;
    return i;
  }

  // For offset < 2^k: y with y <= 2^64·offset/t < y + 2.
  std::uint64_t decay(std::uint64_t offset) const {
    return static_cast<std::uint64_t>((Uint128{offset << (64 - log2_step_)} * decay_per_step_) >> 64U);
  }

 private:
  static constexpr unsigned kGuideBits = 8;

  Rational scale_;
  unsigned log2_step_ = 0;
  std::uint32_t steps_ = 1;
  std::uint64_t decay_per_step_ = 0;       // 2^(64+k)/t, rounded down; of use where k > 0
  std::vector<std::uint32_t> starts_;      // of every cell
  std::array<std::uint8_t, 256> guide_{};  // the cell of the least number with these first bits, or one before it
};

}  // namespace hearsay
