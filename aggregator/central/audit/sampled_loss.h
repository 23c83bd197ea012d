// Losses of mechanisms whose law nobody enumerates: estimated from what many runs of them publish.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "aggregator/central/audit/pair_loss.h"

namespace hearsay::central {

// Runs a mechanism on a database once. Appends each answer to `seen` as the analyst gets it, and returns the error that
// ends the run, if one does. An exception ends the run too. Answers, their number and sizes, and the error with its
// text are together one outcome.
using Answers = std::vector<std::vector<std::int64_t>>;
using Run = std::function<Result<void>(const Rows& rows, Answers& seen)>;

struct SamplePlan {
  std::uint64_t runs;       // of each database; half of them choose an outcome, the other half test it
  std::uint64_t databases;  // that are compared with each other
  double confidence;        // with which the bounds on all ordered pairs hold together
};

// Lower bounds of the losses: Clopper and Pearson's, of the outcome that seems to tell most. An outcome that only one
// database has, such as an error, needs a few dozen runs to be found. Errors: kInvalidArgument for a plan of no runs,
// no databases or a confidence outside (0, 1). Throws EntropyError.
Result<LossOf> sampled_losses(const SamplePlan& plan, const Run& run);

}  // namespace hearsay::central
