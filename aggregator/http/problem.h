// RFC 9457 problem documents.
#pragma once

#include "aggregator/http/message.h"
#include "hearsay/error.h"

namespace hearsay::aggregator {

// The HTTP status that answers an error of this kind.
unsigned http_status(ErrorCode code);

// {"detail": message, "status": …, "title": …, "type": "urn:hearsay:error:" + error_name(code)} as
// application/problem+json. kOverloaded also gets Retry-After, kUnauthorized gets WWW-Authenticate.
HttpResponse make_problem(const Error& error);
// The same with another status, for the few answers whose status says more than the error's kind (431, say).
HttpResponse make_problem(const Error& error, unsigned status);

}  // namespace hearsay::aggregator
