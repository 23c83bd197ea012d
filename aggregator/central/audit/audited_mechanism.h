// Describes a central mechanism to an audit.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "aggregator/central/audit/databases.h"
#include "aggregator/central/audit/pair_loss.h"
#include "aggregator/central/median/median_law.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// A claim, the databases of the claim, and functions that compute the loss of a pair of databases. The functions cache
// laws. Thread-safety: one thread at a time.
struct AuditedMechanism {
  std::string name;
  Rational claimed;  // ε, or the α of (α, τ)
  double tau = 0;    // 0 for pure ε
  Universe universe;
  Evidence evidence;
  LossOf loss;
  // For (α, τ): an enclosure of the divergence Σ max(0, Pr[z|first] - e^alpha·Pr[z|second]). For such a mechanism,
  // `loss` leaves out outcomes with tiny probabilities.
  std::function<Result<HockeyStick>(const Rows&, const Rows&, double alpha)> divergence;
  // For bounds from samples: the probability that all bounds hold together.
  std::optional<double> confidence;
};

}  // namespace hearsay::central
