// Computes distributional privacy: how well a mechanism's output tells two samples of one population apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/central/audit/audited_mechanism.h"

namespace hearsay::central {

// A mechanism is (α, β)-distributionally private if the following holds for every population. Draw two databases D1, D2
// of n records from the population, each without replacement. Then Pr[z | D1] <= e^α·Pr[z | D2] for all z, except for
// pairs (D1, D2) of total probability at most β. Blum, Ligett, Roth 2008, section 7.
struct DistributionalLoss {
  double alpha_low;  // the least α for this β lies in [alpha_low, alpha_high]
  double alpha_high;
  std::vector<std::uint32_t> population;  // the population that needs alpha_low: the values of its members, ascending
  double beta;
  // A lower bound of the mechanism's ε of differential privacy, from neighbours that are samples of one population.
  double differential_low;
  // Theorem 7.1 needs a beta below this limit. The limit is the probability that the two samples are the least likely
  // pair of neighbours.
  double largest_beta;
  std::uint64_t populations;

  bool theorem_applies() const { return beta < largest_beta; }
  // Returns true if alpha_high is at least differential_low, up to rounding. This follows from Theorem 7.1 if
  // theorem_applies().
  bool implies_differential() const { return differential_low <= alpha_high * (1 + 1e-9); }
};

// Tries all populations whose members have different values: all sets of at least n of the domain's values. Without
// `beta`, takes a beta just below the limit of Theorem 7.1.
//
// In one population all pairs of samples are equally likely. In a population of n+1 values, each pair has the
// probability 1/(n+1)². The search leaves out populations with repeated values, so the result is a lower bound of the
// definition's α. The records of each database are in ascending order. Errors: kInvalidArgument unless the mechanism is
// private under replace-one, its domain has more values than rows, and 0 <= beta < 1; kDomainTooLarge above 2^9 sets of
// n values, 16 values, or 2^22 pairs; those of the mechanism.
Result<DistributionalLoss> distributional_loss(const AuditedMechanism& mechanism, std::optional<double> beta);

// Computes the loss for one population. `members` are the values of its records, with repetitions. Records with equal
// values are different members, so a sample has the probability Π C(m_v, k_v) / C(N, n). Here N is the number of
// members, and the sample has k_v of the m_v members of value v. Theorem 7.1 is checked for the neighbours among the
// samples. Errors: kInvalidArgument (also fewer members than rows, a value beyond the domain, or samples without
// neighbours); kDomainTooLarge above 2^9 different samples, or 2^26 samples of members; those of the mechanism.
Result<DistributionalLoss> distributional_loss(const AuditedMechanism& mechanism, std::vector<std::uint32_t> members,
                                               std::optional<double> beta);

}  // namespace hearsay::central
