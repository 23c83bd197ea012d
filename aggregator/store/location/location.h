// Parses a location: the place of a store as people write it. A location is the directory of an embedded store, the URI
// of a PostgreSQL database, or the URIs of several databases that share a store (../spread), separated by spaces.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/store/store.h"
#include "hearsay/clock.h"

namespace hearsay::store {

// Returns true if the location begins with postgresql:// or postgres://.
bool is_database(std::string_view location);
// Returns the words of a location: the URIs, if is_database() is true.
std::vector<std::string> databases_of(std::string_view location);

// Checks a location without opening the store. A location that passes is safe in a log or a list of processes. Errors:
// kInvalidArgument; the message never repeats a location that may hold a secret.
//
// Refuses:
// - a password in a URI (libpq reads the password from the file that `passfile`, PGPASSFILE or ~/.pgpass names)
// - several hosts without target_session_attrs=read-write or =primary, because libpq might take a standby
// - a service file
// - a URI with another scheme
// - libpq's other form, `host=… dbname=…`
Result<void> check_location(const std::string& location);

// Says which unsafe settings of a database open_to_read() accepts; see postgres::Options.
struct DatabaseAllowances {
  bool lossy = false;
  bool unverified = false;
};

// Opens a store for reading only. `clock` must outlive the store. Errors: those of check_location(), rocks::open() and
// spread::open_databases().
Result<std::unique_ptr<Store>> open_to_read(const std::string& location, const DatabaseAllowances& allowances,
                                            Clock& clock);

}  // namespace hearsay::store
