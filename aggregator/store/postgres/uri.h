// What a database URI asks for, checked before anything is sent.
#pragma once

#include <string>

#include "hearsay/result.h"

namespace hearsay::store::postgres {

// Whether the URI, with what the environment (PGHOST, PGSSLMODE, …) adds to it, reaches each of its hosts on this
// machine, or by TLS with a verified certificate and name. Errors: kInvalidArgument (not a URI; never repeats any part
// of it), kStoreFailed (a host off this machine without sslmode=verify-full, unless `allow_unverified`).
Result<void> check_uri(const std::string& uri, bool allow_unverified);

// What people know the database by: "database hearsay on db1:5432,db2", without user and password. `uri` has passed
// check_uri().
std::string database_name(const std::string& uri);

}  // namespace hearsay::store::postgres
