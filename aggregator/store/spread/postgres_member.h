// Opens PostgreSQL databases as members of a spread store.
#pragma once

#include <memory>
#include <vector>

#include "aggregator/store/postgres/postgres.h"
#include "aggregator/store/spread/spread.h"

namespace hearsay::store::spread {

// Opens one of several databases. `clock` must outlive the member. Errors: those of postgres::open().
Result<Member> open_member(const postgres::Options& options, Clock& clock);

// Opens the store over these databases. For a single database without a map, does the same as postgres::open(). `clock`
// must outlive the store. Errors: those of open() and postgres::open().
Result<std::unique_ptr<Store>> open_databases(const std::vector<postgres::Options>& databases, const Options& options,
                                              Clock& clock);

}  // namespace hearsay::store::spread
