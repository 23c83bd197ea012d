// The answer to an upload; aggregator/docs/api.md, section "Reports", describes it.
#pragma once

#include "aggregator/http/message.h"
#include "aggregator/ingest/ingest.h"

namespace hearsay::api {

// At most one byte for each report, and a few hundred for each kind of refusal.
// 204 if `minimal` (the client prefers it) and every report is counted; nothing is then allocated.
http::HttpResponse upload_answer(const Result<ingest::UploadResult>& result, bool minimal);

}  // namespace hearsay::api
