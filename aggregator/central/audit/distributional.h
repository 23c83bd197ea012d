// Distributional privacy: whether the output tells which of two samples of one population was looked at.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/central/audit/audited_mechanism.h"

namespace hearsay::central {

// A mechanism is (α, β)-distributionally private if for every distribution of records, of two databases of n records
// drawn from it without replacement, Pr[z | D1] <= e^α·Pr[z | D2] for all z, but for pairs of probability at most β.
// Blum, Ligett, Roth 2008, section 7.
struct DistributionalLoss {
  double alpha_low;  // the least α for this β lies in [alpha_low, alpha_high]
  double alpha_high;
  std::vector<std::uint32_t> population;  // values, each equally likely, that need alpha_low
  // ε of differential privacy, from below, over neighbours without equal rows.
  double differential_low;
  std::uint64_t populations;

  // Theorem 7.1 needs a pair of neighbours to be as likely as 1/(n+1)² in a population of n+1 values: any smaller β.
  static double largest_beta(std::uint32_t rows) { return 1.0 / ((rows + 1.0) * (rows + 1.0)); }
  // What Theorem 7.1 says of a β below that, up to rounding.
  bool implies_differential() const { return differential_low <= alpha_high * (1 + 1e-9); }
};

// The populations are the uniform distributions on all sets of at least n of the domain's values; of two draws of n
// values each, all pairs of sets are equally likely. So the loss is that of the definition from below: other
// distributions are not enumerated. Rows are in ascending order. Errors: kInvalidArgument unless the mechanism is
// private under replace-one, has a domain of more values than rows, and 0 <= beta < 1; kDomainTooLarge above 2^9 sets
// of n values, 16 values, or 2^22 pairs; those of the mechanism.
Result<DistributionalLoss> distributional_loss(const AuditedMechanism& mechanism, double beta);

}  // namespace hearsay::central
