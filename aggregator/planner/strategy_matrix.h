// Probabilities in the fixed point of a task, rounded towards privacy.
#pragma once

#include "aggregator/planner/strategy_optimiser.h"
#include "hearsay/epsilon.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"

namespace hearsay::planner {

// The matrix nearest to these probabilities for which StrategyChannel::create() has no error: each record's entries add
// up to 2^32, and no ratio is above e^ε. Sets of a weight below 2^-32 are left out. Errors: kInvalidArgument (weights
// that are further than rounding from adding up to 1 for every record).
Result<StrategySpec> rounded_strategy(const StrategySets& strategy, const Epsilon& epsilon);

}  // namespace hearsay::planner
