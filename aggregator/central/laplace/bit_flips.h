// Releases a point of the Hamming cube near f(x), by flipping bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/neighbours.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// Flips each of d bits, independently, with probability p = 1/(1 + e^{ε/S}), rounded up to a multiple of 2^-64, that is
// towards privacy. Pure ε-differential privacy for every f: D^n -> {0,1}^d of which neighbours differ in at most S
// bits: the log-ratio is at most S·ln((1-p)/p) <= ε. The metric mechanism on the cube, without its factor 2 (Remark 1).
// The same work whatever the bits. Immutable, thread-safe.
// Dwork, McSherry, Nissim, Smith 2006, section 3.3, where the flip "roughly 1/2 - ε/(2S)" costs about 2ε.
class BitFlips {
 public:
  static constexpr std::size_t kMostBits = std::size_t{1} << 24U;

  // Errors: kInvalidArgument unless 1 <= sensitivity <= dimension; kLimitExceeded above 2^24 bits.
  static Result<BitFlips> create(const Epsilon& epsilon, std::size_t dimension, std::size_t sensitivity,
                                 Neighbours neighbours);

  // One release of d bits, 0 or 1. No value is refused, and f may be computed by someone else: what is not 0 counts as
  // 1, bits that are missing count as 0, and those after the d-th are not looked at. The sensitivity must hold for f so
  // read. Throws EntropyError.
  std::vector<std::uint8_t> release(std::span<const std::uint8_t> value, BitSource& bits) const;

  // The exact law: p·2^64, at most 2^63 and at least 1. Never below 2^64/(1 + e^{ε/S}), and at most 2 above it.
  std::uint64_t flip_in_2_to_64() const { return flip_; }
  std::size_t sensitivity() const { return sensitivity_; }

  // The least m with Pr[more than m bits flipped] <= beta, from the binomial law.
  // Errors: kInvalidArgument unless 0 < beta < 1.
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
