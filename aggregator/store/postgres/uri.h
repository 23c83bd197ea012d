// Checks a database's URI before anything is sent.
#pragma once

#include <string>

#include "hearsay/result.h"

namespace hearsay::store::postgres {

// Checks that each host of the URI is on this machine, or that the connection verifies the server's certificate and
// name. Also reads the environment (PGHOST, PGSSLMODE, …), as libpq does. Errors: kInvalidArgument (not a URI, or with
// a service file; the message repeats no part of the URI), kStoreFailed (a host that is not this machine without
// sslmode=verify-full, unless `allow_unverified`).
Result<void> check_uri(const std::string& uri, bool allow_unverified);

// Returns a name for people, such as "database hearsay on db1:5432,db2:5433", without user and password. If libpq
// cannot read the URI, the name tells nothing.
std::string database_name(const std::string& uri);

}  // namespace hearsay::store::postgres
