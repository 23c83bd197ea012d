// The call `POST …/estimates`: query texts in, answers out.
#pragma once

#include <string_view>

#include "aggregator/store/store.h"
#include "common/base/json.h"
#include "hearsay/clock.h"
#include "hearsay/task.h"

namespace hearsay::api {

// Answers a request body (aggregator/docs/api.md, section "Estimates") from the store's tallies. A query that cannot be
// answered has its error in its place: kOverloaded for those that are not reached within a minute of the clock. Errors
// of the request as a whole: kMalformedJson, kUnknownKey, kMissingKey, kWrongType, kInvalidArgument, kLimitExceeded,
// kStoreFailed, kStoreCorrupt.
Result<Json> answer_queries(const store::Store& store, const Task& task, std::string_view body, Clock& clock);

}  // namespace hearsay::api
