// Which answer each error of the aggregator gets.
#pragma once

#include "aggregator/http/message.h"
#include "hearsay/error.h"

namespace hearsay::api {

// The HTTP status that answers an error of this kind.
unsigned http_status(ErrorCode code);

// A problem document with that status. An answer of kUnauthorized names the scheme that the API accepts
// (WWW-Authenticate).
http::HttpResponse error_answer(const Error& error);

}  // namespace hearsay::api
