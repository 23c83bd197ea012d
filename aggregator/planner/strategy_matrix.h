// Writes probabilities in the fixed point of a task, rounded towards privacy.
#pragma once

#include "aggregator/planner/strategy_optimiser.h"
#include "hearsay/epsilon.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"

namespace hearsay::planner {

// Returns the matrix nearest to these probabilities that StrategyChannel::create() accepts: each record's entries add
// up to 2^32, and no ratio is above e^ε. Leaves out sets of a weight below 2^-32. Errors: kInvalidArgument (for some
// record the weights add up to 1 only with an error that is larger than rounding).
Result<StrategySpec> rounded_strategy(const StrategySets& strategy, const Epsilon& epsilon);

}  // namespace hearsay::planner
