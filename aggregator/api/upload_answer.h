// Writes the answer to an upload, as aggregator/docs/api.md describes it in section "Reports".
#pragma once

#include "aggregator/http/message.h"
#include "aggregator/ingest/ingest.h"

namespace hearsay::api {

// Returns an answer with at most one byte for each report, and a few hundred bytes for each kind of refusal. If
// `minimal` is set, because the client prefers this, and every report is counted, returns 204 without a body.
http::HttpResponse upload_answer(const Result<ingest::UploadResult>& result, bool minimal);

}  // namespace hearsay::api
