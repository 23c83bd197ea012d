// The literals' means, estimated from the reports, in one form for `laplace` and `sampled`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// One coordinate j, and its estimated mean m̂_j over the `reports` people who were asked about the coordinate. The same
// people were asked about all coordinates of a group; different people were asked about different groups. Let a_j be a
// person's true coordinate. If people are drawn independently from one law:
//   Cov[m̂_i, m̂_j] = (E[a_i a_j]/γ - E a_i·E a_j)/reports for two coordinates of a group,
//   Var[m̂_j]      = (1/γ² - (E a_j)² + noise)/reports,
// `laplace` is one group with γ = 1.
struct LiteralMean {
  double mean = 0;     // m̂_j
  double reports = 0;  // 0 if nobody was asked about the coordinate
  std::uint64_t group = 0;
  double gamma = 1;
  double noise = 0;  // variance of the noise that is added to each report
  // If one report changes, mean·reports changes by at least `step`.
  double step = 1;
  // The expected number of reports whose noise is not 0, or whose answer was drawn uniformly in place of the true
  // answer. If this number is small, the noise is far from normal.
  double disturbed = 0;
};

// Returns one element for each coordinate. The task's arrangement must be `literals`. Errors: kInvalidArgument (the
// tally of another task).
Result<std::vector<LiteralMean>> literal_means(const Task& task, const tally::Tally& tally);

}  // namespace hearsay::estimator
