// The tables, see format.md, and which version of them a database has.
#pragma once

#include <cstdint>
#include <string>

#include "aggregator/store/postgres/connection.h"
#include "aggregator/store/postgres/postgres.h"

namespace hearsay::store::postgres {

inline constexpr std::uint32_t kSchemaVersion = 1;

// The version of the database's schema; 0: there is none.
Result<std::uint32_t> schema_version(Connection& connection);
// Errors: kStoreFailed if the version is not kSchemaVersion; says what to do.
Result<void> check_schema(std::uint32_t version);
// In one transaction. See postgres::migrate().
Result<Migration> migrate_schema(Connection& connection);

// Makes the partitions of `ids` and `blocks` for this day, unless they are there. Holds up no append.
Result<void> make_partitions(Connection& connection, std::int32_t day);

}  // namespace hearsay::store::postgres
