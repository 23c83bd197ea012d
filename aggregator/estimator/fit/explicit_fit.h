// Tests the average-case assumption of estimates on the vectors that a task lists.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/fit/goodness_of_fit.h"
#include "aggregator/tally/tally.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// Does what goodness_of_fit() does, for a task with explicit vectors. Every coordinate may depend on every attribute,
// so both tests use all coordinates and are the same. `truth` is f of every record. Errors: kInvalidArgument (a
// constant query; the tally of another task), kLimitExceeded (more than kMaxMomentCoordinates coordinates). Throws
// WorkStopped. Cost: M·d² for M records and d coordinates.
Result<GoodnessOfFit> explicit_fit(const Task& task, const std::vector<std::uint8_t>& truth, const tally::Tally& tally,
                                   compiler::Work& work);

}  // namespace hearsay::estimator
