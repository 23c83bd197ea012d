// Permute-and-flip selects a candidate by its score, with the same ε as the exponential mechanism. The expected score
// is at least that of the exponential mechanism.
#pragma once

#include <span>
#include <vector>

#include "aggregator/central/exponential/gap_decay.h"

namespace hearsay::central {

// Looks at the candidates in random order, and takes the first that is kept. A candidate is kept with probability
// exp(-rate·gap), where gap is how far its score is below the best. So the best candidate is always kept. The release
// is purely and exactly ε-differentially private, for the same rate as the exponential mechanism. The expected
// shortfall (best score minus chosen score) is at least half of that of the exponential mechanism, and at most equal.
// The number of candidates must not depend on the data; then errors do not depend on the data either. The guarantee
// does not cover the time, which depends on the data. Immutable, thread-safe. McKenna, Sheldon 2020, Algorithm 1 and
// Theorems 1 and 3.
class PermuteAndFlip {
 public:
  explicit PermuteAndFlip(const GapDecay& decay) : decay_(decay) {}

  const GapDecay& decay() const { return decay_; }

  // Returns the index of the candidate taken. Tosses at most one coin for each candidate. Errors: kInvalidArgument if
  // there is no candidate. Throws EntropyError.
  Result<std::size_t> release(std::span<const std::int64_t> scores, BitSource& bits) const;

 private:
  GapDecay decay_;
};

}  // namespace hearsay::central
