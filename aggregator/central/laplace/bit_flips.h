// Releases f(x), a string of bits, with randomly flipped bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/neighbours.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// Flips each of d bits, independently, with probability p = 1/(1 + e^{ε/S}). p is rounded up, towards privacy, to a
// multiple of 2^-64. The release is purely ε-differentially private for every f: D^n -> {0,1}^d for which neighbours
// differ in at most S bits: the log-ratio is at most S·ln((1-p)/p) <= ε. This is the metric mechanism on the cube,
// without its factor 2 (Remark 1). The work does not depend on the values of the bits. Immutable, thread-safe. Dwork,
// McSherry, Nissim, Smith 2006, section 3.3. The probability printed there, "roughly 1/2 - ε/(2S)", costs about 2ε.
class BitFlips {
 public:
  static constexpr std::size_t kMostBits = std::size_t{1} << 24U;

  // Errors: kInvalidArgument unless 1 <= sensitivity <= dimension; kLimitExceeded above 2^24 bits.
  static Result<BitFlips> create(const Epsilon& epsilon, std::size_t dimension, std::size_t sensitivity,
                                 Neighbours neighbours);

  // Releases d bits, 0 or 1. Refuses no value: anything but 0 counts as 1, missing bits count as 0, and extra bits are
  // ignored. The sensitivity must hold for f read in this way. Throws EntropyError.
  std::vector<std::uint8_t> release(std::span<const std::uint8_t> value, BitSource& bits) const;

  // Returns p·2^64, exactly: from 1 to 2^63. The result is at least 2^64/(1 + e^{ε/S}), and exceeds this number by at
  // most 2.
  std::uint64_t flip_in_2_to_64() const { return flip_; }
  std::size_t sensitivity() const { return sensitivity_; }

  // Returns the least m with Pr[more than m bits flipped] <= beta, from the binomial law. Errors: kInvalidArgument
  // unless 0 < beta < 1.
  Result<std::uint64_t> error_bound(double beta) const;

  Neighbours neighbours() const { return neighbours_; }

 private:
  BitFlips(std::size_t dimension, std::size_t sensitivity, std::uint64_t flip, Neighbours neighbours)
      : dimension_(dimension), sensitivity_(sensitivity), flip_(flip), neighbours_(neighbours) {}

  std::size_t dimension_;
  std::size_t sensitivity_;
  std::uint64_t flip_;
  Neighbours neighbours_;
};

}  // namespace hearsay::central
