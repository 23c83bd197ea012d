// Makes error answers whose body is an RFC 9457 problem document.
#pragma once

#include "aggregator/http/message.h"
#include "hearsay/error.h"

namespace hearsay::http {

// Returns {"detail": message, "status": status, "title": the code's name in words, "type": the code's problem_type()}
// as application/problem+json. For kOverloaded and kStoreFailed, adds Retry-After, which asks the client to try again.
HttpResponse make_problem(const Error& error, unsigned status);

}  // namespace hearsay::http
