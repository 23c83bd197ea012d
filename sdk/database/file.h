// The file of a database: made for its owner alone, and never made a second time where there was one.
#pragma once

#include <string>

#include "hearsay/result.h"
#include "sdk/database/database.h"

namespace hearsay::sdk {

struct OpenedDatabase {
  Database database;
  bool is_new;  // empty: the caller makes the tables in one transaction and then calls finish_new()
};

// Opens a database, or makes an empty one, readable and writable by its owner only. An empty file is new only if
// open_database() itself made it: a file that lost its contents is kLedgerDamaged.
Result<OpenedDatabase> open_database(const std::string& file);

// Notes that the database has its tables. Does nothing if that was noted before.
Result<void> finish_new(const std::string& file);

}  // namespace hearsay::sdk
