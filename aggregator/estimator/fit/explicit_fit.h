// The test of the average-case assumption on the vectors that a task lists.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/fit/goodness_of_fit.h"
#include "aggregator/tally/tally.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// As goodness_of_fit(). Every coordinate may depend on every attribute, so the query's own coordinates are all of them,
// and both tests are one. `truth`: f of every record. The task's arrangement is explicit. Errors: kInvalidArgument (a
// constant query; the tally of another task), kLimitExceeded (more than kMaxMomentCoordinates). Throws WorkStopped.
// Cost: M·d².
Result<GoodnessOfFit> explicit_fit(const Task& task, const std::vector<std::uint8_t>& truth, const tally::Tally& tally,
                                   compiler::Work& work);

}  // namespace hearsay::estimator
