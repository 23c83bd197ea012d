// From a tally and a compiled query to an answer with its error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/arrangement/linear_query.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"

namespace hearsay::aggregator {

struct Interval {
  double low;
  double high;
};

// An answer to one counting query. The target is ω, the fraction of the reporters whose record satisfies the query.
struct Estimate {
  double value;           // unbiased under `guarantee`, never clipped to [0, 1]
  double standard_error;  // of value
  double confidence;      // of both intervals, e.g. 0.95
  Interval normal;        // value ± normal quantile · standard_error
  Interval guaranteed;    // covers with at least `confidence` at every n (Theorem 6 of Aldà and Simon 2014)
  Guarantee guarantee;
  double margin;          // γ̃(f)
  std::uint64_t reports;  // n
  std::vector<std::string> warnings;
};

// Answers `query`, compiled for this task's channel, from reports tallied by it. `confidence` in (0, 1). No number in
// the answer is NaN or infinite. Thread-safe; costs some microseconds a weight of the query. Errors: kNoReports,
// kBatchTooSmall (fewer than the task's min_batch_size), kInvalidArgument (confidence; a query or tally of another
// task).
Result<Estimate> estimate(const Task& task, const LinearQuery& query, const Tally& tally, double confidence);

}  // namespace hearsay::aggregator
