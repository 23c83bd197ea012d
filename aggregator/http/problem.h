// RFC 9457 problem documents: what the body of an error answer says.
#pragma once

#include "aggregator/http/message.h"
#include "hearsay/error.h"

namespace hearsay::http {

// {"detail": message, "status": status, "title": the code's name in words, "type": the code's problem_type()} as
// application/problem+json. Answers of kOverloaded and kStoreFailed ask the client to come back (Retry-After).
HttpResponse make_problem(const Error& error, unsigned status);

}  // namespace hearsay::http
