// The call `POST …/estimates`: query texts in, answers out.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string_view>

#include "aggregator/store/store.h"
#include "common/base/json.h"
#include "hearsay/task.h"

namespace hearsay::api {

// A body counts so many times its size: JSON of empty arrays takes as much when it is parsed.
inline constexpr std::size_t kParsedBodyFactor = 40;

// Answers a request body (aggregator/docs/api.md, section "Estimates") from the store's tallies. Holds at most
// `max_bytes` of memory, by a count of what is large. A query or table that cannot be answered has its error in its
// place: kOverloaded for those that are not done when `stop` is requested, after which the call returns within
// milliseconds. Errors of the request as a whole: kMalformedJson, kUnknownKey, kMissingKey, kWrongType,
// kInvalidArgument, kLimitExceeded, kStoreFailed, kStoreCorrupt.
Result<Json> answer_queries(const store::Store& store, const Task& task, std::string_view body, std::size_t max_bytes,
                            const std::stop_token& stop);

}  // namespace hearsay::api
