// Answers the measures of `POST …/estimates`, as aggregator/docs/api.md describes them.
#pragma once

#include <cstddef>
#include <stop_token>

#include "aggregator/api/estimate_request.h"
#include "aggregator/store/store.h"
#include "aggregator/tally/tally.h"
#include "common/base/json.h"
#include "hearsay/task.h"

namespace hearsay::api {

// The data from which answer_measures() computes answers. The references must stay valid during the call.
struct MeasureSource {
  const store::Store& store;
  const Task& task;
  const tally::Tally& tally;  // the tally of the whole range
  std::size_t max_bytes;
  const std::stop_token& stop;
};

// Adds `measures` to `result`, with one element for each row and period. A row is one question of a measure. A row
// without an answer has an error in its place. For a trend, also adds `every`, `time_zone` and `no_change`. Errors:
// kStoreFailed, kStoreCorrupt, kOverloaded (`stop` was requested), kLimitExceeded (more than 2^16 rows).
Result<void> answer_measures(const MeasureSource& source, const EstimateRequest& request, Json& result);

}  // namespace hearsay::api
