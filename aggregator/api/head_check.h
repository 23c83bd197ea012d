// What a call does not know in a request is refused, never ignored.
#pragma once

#include "aggregator/api/route.h"
#include "aggregator/http/message.h"
#include "hearsay/result.h"

namespace hearsay::api {

// Checks what a head says beside method, path and token. Of a whole request, checks also that a body which the head did
// not announce has the right media type. Errors: kUnknownKey (a query parameter that the call does not have; the
// message names it), kInvalidArgument (a parameter's value, or a repeated one), kUnsupportedMediaType (the body should
// be JSON and is not called that).
Result<void> check_head(Call call, const http::HttpRequest& request);

}  // namespace hearsay::api
