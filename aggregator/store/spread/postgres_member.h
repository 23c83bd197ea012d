// PostgreSQL databases as members of a spread store.
#pragma once

#include <memory>

#include "aggregator/store/postgres/postgres.h"
#include "aggregator/store/spread/spread.h"

namespace hearsay::store::spread {

// Opens a database as one of several. `clock` must outlive the member. Errors: those of postgres::open(); each names
// the database.
Result<Member> open_member(postgres::Options options, Clock& clock);

}  // namespace hearsay::store::spread
