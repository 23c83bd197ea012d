// Answers the call `POST …/estimates`.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string_view>

#include "aggregator/store/store.h"
#include "common/base/json.h"
#include "hearsay/task.h"

namespace hearsay::api {

// Parsed JSON may take this many times the memory of its text. The worst case is a list of empty arrays.
inline constexpr std::size_t kParsedBodyFactor = 40;

// Answers a request body (aggregator/docs/api.md, section "Estimates") from the store's tallies. The large
// objects together take at most `max_bytes` of memory. A query or table without an answer has an error in its place.
// If `stop` is requested, the call returns soon, and unfinished queries and tables have the error kOverloaded. Errors
// of the request as a whole: those of parse_estimate_request(), kLimitExceeded, kStoreFailed, kStoreCorrupt,
// kOverloaded (`stop` was requested while tallies or measures were computed).
Result<Json> answer_queries(const store::Store& store, const Task& task, std::string_view body, std::size_t max_bytes,
                            const std::stop_token& stop);

}  // namespace hearsay::api
