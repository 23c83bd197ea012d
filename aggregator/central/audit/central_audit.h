// Compares the claimed ε of a central mechanism with its actual loss, over all neighbours of a small domain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/central/audit/audited_mechanism.h"

namespace hearsay::central {

enum class Verdict {
  // It is certain that no pair of neighbours in the domain has a loss above the claim.
  kConfirmed,
  // It is certain that some pair of neighbours has a loss above the claim.
  kRefuted,
  // Neither is certain: the loss has no upper bound, or the loss is too close to the claim for the precision of the
  // bounds.
  kNotRefuted,
};

// The largest loss over ordered pairs of databases.
struct WorstPair {
  // The verdict on the claim over all pairs.
  Verdict verdict = Verdict::kConfirmed;
  bool infinite = false;
  double low = 0;              // the largest loss is at least this
  std::optional<double> high;  // the largest loss is at most this, if an upper bound is known
  // The largest loss, if it is known to be a fraction.
  std::optional<Rational> exact;
  Rows first;
  Rows second;
  std::uint64_t pairs = 0;
};

// The largest loss between databases that are `changes` changes apart. `claimed` is changes·ε.
struct GroupLoss {
  std::uint32_t changes;
  Rational claimed;
  WorstPair worst;
};

// What an informed adversary learns from a release. This adversary knows every record except one: the record in which
// the databases of the worst pair differ (Dwork et al. 2006, appendix A).
struct InformedAdversary {
  double bound;  // e^ε: the limit on simulator_ratio
  // The largest ratio of an output's probability to its probability under a simulator: e^loss. The simulator runs the
  // mechanism with the other value of the unknown record.
  double simulator_ratio;
  // The probability of the likelier database after the release, if both were equally likely before: e^loss/(1 +
  // e^loss).
  double posterior;
  double posterior_bound;  // the posterior for a loss of ε
};

struct CentralAudit {
  WorstPair worst;  // among neighbours
  std::vector<GroupLoss> groups;
  InformedAdversary informed;
  std::optional<HockeyStick> divergence;  // only for (α, τ): the largest divergence at α
};

// An audit compares at most this number of pairs for each number of changes.
inline constexpr std::uint64_t kMostAuditPairs = std::uint64_t{1} << 20U;

// Estimates how many seconds audit() takes on one core, from the times of a few pairs. Errors: kDomainTooLarge (audit()
// would take more than 10 minutes, or too much memory, or fail with kDomainTooLarge), those of the mechanism.
Result<double> seconds_for_audit(const AuditedMechanism& mechanism, std::uint32_t largest_group);

// Compares all ordered pairs of neighbours in the mechanism's universe, and all pairs 2 to `largest_group` changes
// apart. For (α, τ), compares only neighbours. Errors: kDomainTooLarge (from Databases, or more than 2^20 pairs), those
// of the mechanism.
Result<CentralAudit> audit(const AuditedMechanism& mechanism, std::uint32_t largest_group);

}  // namespace hearsay::central
