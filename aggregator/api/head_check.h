// Refuses requests with unknown query parameters or a wrong media type, instead of ignoring these faults.
#pragma once

#include "aggregator/api/route.h"
#include "aggregator/http/message.h"
#include "hearsay/result.h"

namespace hearsay::api {

// Checks the query parameters and the media type of the body. Call this for the head and again for the whole request,
// because a head need not announce the body. Errors: kUnknownKey (a query parameter that the call does not have; the
// message names it), kInvalidArgument (a wrong value, or a repeated parameter), kUnsupportedMediaType (the body must be
// JSON).
Result<void> check_head(Call call, const http::HttpRequest& request);

}  // namespace hearsay::api
