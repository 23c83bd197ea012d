// Turns each error of the aggregator into an HTTP answer.
#pragma once

#include "aggregator/http/message.h"
#include "hearsay/error.h"

namespace hearsay::api {

// Returns the HTTP status for an error with this code.
unsigned http_status(ErrorCode code);

// Returns a problem document with the status of the error's code. For kUnauthorized, the answer also names the scheme
// that the API accepts (WWW-Authenticate).
http::HttpResponse error_answer(const Error& error);

}  // namespace hearsay::api
