// Estimates the loss from many runs, for mechanisms with a law that cannot be enumerated.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "aggregator/central/audit/pair_loss.h"

namespace hearsay::central {

// Runs a mechanism on a database once. Appends to `seen` each answer that the analyst gets. Returns the error that ends
// the run, if there is one. An exception ends the run, too. One outcome consists of the answers and the error with its
// text.
using Answers = std::vector<std::vector<std::int64_t>>;
using Run = std::function<Result<void>(const Rows& rows, Answers& seen)>;

struct SamplePlan {
  // The number of runs on each database. Half of the runs choose an outcome, and the other half test this outcome.
  std::uint64_t runs;
  std::uint64_t databases;  // the number of databases that are compared with each other
  double confidence;        // the probability that the bounds on all ordered pairs hold together
};

// Returns lower bounds of the losses, by Clopper and Pearson, for the outcome that seems to reveal most. Errors:
// kInvalidArgument (fewer than 2 runs, no databases, or a confidence outside (0, 1)). Throws EntropyError.
Result<LossOf> sampled_losses(const SamplePlan& plan, const Run& run);

}  // namespace hearsay::central
