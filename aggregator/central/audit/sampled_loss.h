// Estimates losses of mechanisms whose law cannot be enumerated, from many runs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "aggregator/central/audit/pair_loss.h"

namespace hearsay::central {

// Runs a mechanism on a database once. Appends to `seen` each answer that the analyst gets, and returns the error that
// ends the run, if one does. An exception ends the run, too. One outcome is all of this together: answers, their number
// and sizes, the error and its text.
using Answers = std::vector<std::vector<std::int64_t>>;
using Run = std::function<Result<void>(const Rows& rows, Answers& seen)>;

struct SamplePlan {
  // Runs on each database. Half of the runs choose an outcome, the other half test it.
  std::uint64_t runs;
  std::uint64_t databases;  // that are compared with each other
  double confidence;        // the probability that the bounds on all ordered pairs hold together
};

// Returns lower bounds of the losses, by Clopper and Pearson, from the outcome that seems to tell most. An outcome that
// only one database has, such as an error, is found in a few dozen runs. Errors: kInvalidArgument (no runs, no
// databases, or a confidence outside (0, 1)). Throws EntropyError.
Result<LossOf> sampled_losses(const SamplePlan& plan, const Run& run);

}  // namespace hearsay::central
