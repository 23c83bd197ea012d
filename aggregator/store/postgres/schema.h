// Makes the tables (see format.md), and checks which version of the schema a database has.
#pragma once

#include <cstdint>
#include <string>

#include "aggregator/store/postgres/connection.h"
#include "aggregator/store/postgres/postgres.h"

namespace hearsay::store::postgres {

// format.md tells what each version changed.
inline constexpr std::uint32_t kSchemaVersion = 2;

// Returns the version of the database's schema; 0 if there is no schema.
Result<std::uint32_t> schema_version(Connection& connection);
// Returns an error that says what to do if the version is not kSchemaVersion. Errors: kStoreFailed.
Result<void> check_schema(std::uint32_t version);
// Brings the schema up to date in one transaction. See postgres::migrate().
Result<Migration> migrate_schema(Connection& connection);

// Makes the partitions of `ids` and `blocks` for the day `day`, if the partitions are missing. Delays no other append.
Result<void> make_partitions(Connection& connection, std::int32_t day);

}  // namespace hearsay::store::postgres
