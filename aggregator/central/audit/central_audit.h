// Audits central mechanisms: compares claimed with actual privacy over all neighbours of a small domain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/central/audit/audited_mechanism.h"

namespace hearsay::central {

enum class Verdict {
  // No pair of neighbours in the domain loses more than the claim. This is certain.
  kConfirmed,
  // Some pair loses more. This is certain.
  kRefuted,
  // Neither is certain: there is no upper bound, or the difference is below its precision.
  kNotRefuted,
};

// The largest loss over ordered pairs of databases.
struct WorstPair {
  // The result of comparing the loss with the bound.
  Verdict verdict = Verdict::kConfirmed;
  bool infinite = false;
  double low = 0;              // the largest loss is at least this
  std::optional<double> high;  // the largest loss is at most this, if an upper bound is known
  // The loss itself, if it is known to be a fraction.
  std::optional<Rational> exact;
  Rows first;
  Rows second;
  std::uint64_t pairs = 0;
};

// The loss between databases that are `changes` changes apart. `claimed` is changes·ε.
struct GroupLoss {
  std::uint32_t changes;
  Rational claimed;
  WorstPair worst;
};

// What an informed adversary learns from a release. This adversary knows every record except one: the record in which
// the databases of the worst pair differ (Dwork et al. 2006, appendix A).
struct InformedAdversary {
  double bound;  // e^ε: limits both ratios below (Claims 2 and 3)
  // The probability of an output, divided by its probability under a simulator that fills in the other value: e^loss.
  double simulator_ratio;
  // The probability of the likelier database after the release, if both were equally likely before: e^loss/(1 +
  // e^loss). Definition 6 divides this posterior by the prior. The result is 2·posterior here. For a prior near 0, it
  // tends to e^loss.
  double posterior;
  double posterior_bound;  // the posterior for a loss of ε
};

struct CentralAudit {
  WorstPair worst;  // among neighbours
  std::vector<GroupLoss> groups;
  InformedAdversary informed;
  std::optional<HockeyStick> divergence;  // only for (α, τ): the largest divergence at α
};

// The most pairs of databases for each number of changes.
inline constexpr std::uint64_t kMostAuditPairs = std::uint64_t{1} << 20U;

// Returns about how many seconds audit() takes on one core. Measures some pairs, and counts databases and pairs.
// Errors: kDomainTooLarge (audit() would take more than 10 minutes, or too much memory, or fail with kDomainTooLarge),
// those of the mechanism. Cost: the laws of a few databases.
Result<double> seconds_for_audit(const AuditedMechanism& mechanism, std::uint32_t largest_group);

// Compares all ordered pairs of neighbours in the mechanism's universe, and all pairs 2 to `largest_group` changes
// apart. Errors: kDomainTooLarge (from Databases, or more than 2^20 pairs), those of the mechanism.
Result<CentralAudit> audit(const AuditedMechanism& mechanism, std::uint32_t largest_group);

}  // namespace hearsay::central
