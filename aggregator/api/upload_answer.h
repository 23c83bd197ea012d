// The answer to an upload; aggregator/docs/api.md, section "Reports", describes it.
#pragma once

#include "aggregator/http/message.h"
#include "aggregator/ingest/ingest.h"

namespace hearsay::api {

// Outcomes listed in one answer: of all reports if they are not more, else of the first so many that are rejected.
inline constexpr std::size_t kMaxListedOutcomes = 16'384;

// 204 if `minimal` (the client prefers it) and every report is counted; nothing is then allocated.
http::HttpResponse upload_answer(const Result<ingest::UploadResult>& result, bool minimal);

}  // namespace hearsay::api
