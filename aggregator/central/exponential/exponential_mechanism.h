// The exponential mechanism selects one of finitely many candidates. A candidate with a better score is more likely.
#pragma once

#include <span>
#include <vector>

#include "aggregator/central/exponential/gap_decay.h"

namespace hearsay::central {

// Draws candidate c with probability exp(rate·score(c))/Σ exp(rate·score). The release is purely and exactly
// ε-differentially private, for the neighbours for which GapDecay's sensitivity holds. The number of candidates must
// not depend on the data; then errors do not depend on the data either. The guarantee does not cover the running time,
// which depends on the data. Immutable, thread-safe. McSherry, Talwar 2007; Blum, Ligett, Roth 2008, Definition 3.3
// (where the exponent must be qαn/2, in the paper's symbols); Roth 2010, Definition 4.
class ExponentialMechanism {
 public:
  explicit ExponentialMechanism(const GapDecay& decay) : decay_(decay) {}

  const GapDecay& decay() const { return decay_; }

  // Returns the index of the candidate drawn. Draws uniform candidates until one is kept. A candidate is kept with
  // probability exp(-rate·gap), where gap is how far its score is below the best. On average there are at most
  // scores.size() draws; the number of draws has no upper limit. Errors: kInvalidArgument if there is no candidate.
  // Throws EntropyError.
  Result<std::size_t> release(std::span<const std::int64_t> scores, BitSource& bits) const;

 private:
  GapDecay decay_;
};

}  // namespace hearsay::central
