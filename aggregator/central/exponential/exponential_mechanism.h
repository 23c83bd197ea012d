// The exponential mechanism: one of finitely many candidates, the better the likelier.
#pragma once

#include <span>
#include <vector>

#include "aggregator/central/exponential/gap_decay.h"

namespace hearsay::central {

// Pr[c] = exp(rate·score(c))/Σ exp(rate·score): ε-differentially private, purely and exactly, under whatever
// neighbouring relation the sensitivity given to GapDecay is for. The number of candidates must not depend on the data;
// then no error does. The running time does, and is outside the guarantee. Immutable, thread-safe. McSherry, Talwar
// 2007; Blum, Ligett, Roth 2008, Definition 3.3 (whose exponent is qαn/2); Roth 2010, Definition 4.
class ExponentialMechanism {
 public:
  explicit ExponentialMechanism(const GapDecay& decay) : decay_(decay) {}

  const GapDecay& decay() const { return decay_; }

  // The index of the candidate drawn. A uniform candidate is kept with probability exp(-rate·gap), else another is
  // drawn: at most scores.size() attempts expected, however long that may be.
  // Errors: kInvalidArgument if there is no candidate. Throws EntropyError.
  Result<std::size_t> release(std::span<const std::int64_t> scores, BitSource& bits) const;

 private:
  GapDecay decay_;
};

}  // namespace hearsay::central
