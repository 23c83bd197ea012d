// RFC 9457 problem documents.
#pragma once

#include "aggregator/http/message.h"
#include "hearsay/error.h"

namespace hearsay::aggregator {

// The HTTP status that answers an error of this kind.
unsigned http_status(ErrorCode code);

// {"detail": message, "status": …, "title": …, "type": "urn:hearsay:error:" + error_name(code)} as application/problem+json.
// kOverloaded also gets Retry-After.
HttpResponse make_problem(const Error& error);

}  // namespace hearsay::aggregator
