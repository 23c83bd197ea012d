// Refuses what a call does not know in a request, instead of ignoring it.
#pragma once

#include "aggregator/api/route.h"
#include "aggregator/http/message.h"
#include "hearsay/result.h"

namespace hearsay::api {

// Checks everything in a head but method, path and token. For a whole request, also checks the media type of a body
// that the head did not announce. Errors: kUnknownKey (a query parameter that the call does not have; the message names
// it), kInvalidArgument (a parameter's value, or a repeated parameter), kUnsupportedMediaType (the body's type should
// be JSON).
Result<void> check_head(Call call, const http::HttpRequest& request);

}  // namespace hearsay::api
