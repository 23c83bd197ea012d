// Answers the call `POST …/estimates`: query texts in, answers out.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string_view>

#include "aggregator/store/store.h"
#include "common/base/json.h"
#include "hearsay/task.h"

namespace hearsay::api {

// A body counts as this many times its size, because JSON of empty arrays takes so much memory when it is parsed.
inline constexpr std::size_t kParsedBodyFactor = 40;

// Answers a request body (aggregator/docs/api.md, section "Estimates") from the store's tallies. Holds at most
// `max_bytes` of memory; only large objects are counted. A query or table without an answer has its error in its place.
// If `stop` is requested, the call returns within milliseconds, and the unfinished ones have kOverloaded. Errors of the
// request as a whole: kMalformedJson, kUnknownKey, kMissingKey, kWrongType, kInvalidArgument, kLimitExceeded,
// kStoreFailed, kStoreCorrupt.
Result<Json> answer_queries(const store::Store& store, const Task& task, std::string_view body, std::size_t max_bytes,
                            const std::stop_token& stop);

}  // namespace hearsay::api
