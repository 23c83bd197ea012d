// Writes probabilities as the fixed-point numbers of a task, rounded towards privacy.
#pragma once

#include "aggregator/planner/strategy_optimiser.h"
#include "hearsay/epsilon.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"

namespace hearsay::planner {

// Returns a matrix near to the probabilities of `strategy` that StrategyChannel::create() accepts: each record's
// entries add up to 2^32, and no ratio is above e^ε. An entry is at least 1, so the matrix comes close only as long as
// the weights are well above 2^-32: up to ε of about 12. Leaves out sets whose weight is below a millionth of the
// largest weight. Errors: kInvalidArgument (some record's probabilities do not add up to 1).
Result<StrategySpec> rounded_strategy(const StrategySets& strategy, const Epsilon& epsilon);

}  // namespace hearsay::planner
