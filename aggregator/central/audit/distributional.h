// Computes distributional privacy: how well the output tells which of two samples of one population was used.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/central/audit/audited_mechanism.h"

namespace hearsay::central {

// A mechanism is (α, β)-distributionally private if the following holds for every distribution of records. Draw two
// databases D1, D2 of n records without replacement. Then Pr[z | D1] <= e^α·Pr[z | D2] for all z, except for pairs of
// total probability at most β. Blum, Ligett, Roth 2008, section 7.
struct DistributionalLoss {
  double alpha_low;  // the least α for this β lies in [alpha_low, alpha_high]
  double alpha_high;
  // A population that needs alpha_low: these values, each equally likely.
  std::vector<std::uint32_t> population;
  // A lower bound on the ε of differential privacy, over neighbours without equal rows.
  double differential_low;
  std::uint64_t populations;

  // Theorem 7.1 needs a β below this: a pair of neighbours has the probability 1/(n+1)² in a population of n+1 values.
  static double largest_beta(std::uint32_t rows) { return 1.0 / ((rows + 1.0) * (rows + 1.0)); }
  // Returns true if the numbers agree with Theorem 7.1 for a β below largest_beta(), up to rounding.
  bool implies_differential() const { return differential_low <= alpha_high * (1 + 1e-9); }
};

// Computes a lower bound on the loss of the definition. The populations are the uniform distributions on all sets of at
// least n of the domain's values; other distributions are not enumerated. Two draws of n values each make all pairs of
// sets equally likely. Rows are in ascending order. Errors: kInvalidArgument unless the mechanism is private under
// replace-one, has a domain of more values than rows, and 0 <= beta < 1; kDomainTooLarge (more than 2^9 sets of n
// values, 16 values, or 2^22 pairs); those of the mechanism.
Result<DistributionalLoss> distributional_loss(const AuditedMechanism& mechanism, double beta);

}  // namespace hearsay::central
