// Improves sets of records for a strategy with `shifts`.
#pragma once

#include <Eigen/Core>

#include "aggregator/planner/strategy_optimiser.h"

namespace hearsay::planner {

// Returns 1 for each record in the set, and 0 for each other record.
Eigen::VectorXd membership_of(const RecordSet& set);

// The symbols are those of shift_optimiser.cc: E, d_S, g_S and h.
struct SetScale {
  double factor;  // E
  double halves;  // h

  // Returns d_S for a set that holds the part `part` of all records.
  double mean(double part) const { return 1 + (factor - 1) * part; }
  // Returns M·g_S(χ)/|Ŝ(χ)|² for a set that holds the part `part` of all records.
  double of(double part) const {
    return (factor - 1) * (factor - 1) / (mean(part) * mean((1 - halves) * part + halves / 2));
  }
};

struct ClimbedSet {
  double gain;
  RecordSet set;
  double work;  // multiplications
};

// Adds or removes one record after the other, the best first, as long as the gain of the set rises. The gain is the sum
// of `covariances` over all pairs of records in the set, times scale.of(the part of the records that are in the set).
// Cost: about records² multiplications, and 12·records for each change.
ClimbedSet climb(const RecordSet& set, const Eigen::MatrixXd& covariances, const SetScale& scale);

}  // namespace hearsay::planner
