// The test of the average-case assumption on the vectors that a task lists.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/fit/goodness_of_fit.h"
#include "aggregator/tally/tally.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// Does what goodness_of_fit() does, for a task whose arrangement is explicit. Every coordinate may depend on every
// attribute, so the query's own coordinates are all coordinates, and both tests are one. `truth` is f of every record.
// Errors: kInvalidArgument (a constant query; the tally of another task), kLimitExceeded (more than
// kMaxMomentCoordinates). Throws WorkStopped. Cost: M·d².
Result<GoodnessOfFit> explicit_fit(const Task& task, const std::vector<std::uint8_t>& truth, const tally::Tally& tally,
                                   compiler::Work& work);

}  // namespace hearsay::estimator
