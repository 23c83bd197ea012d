// The file of a database: made for its owner alone, and never made a second time where there was one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "hearsay/result.h"
#include "sdk/database/database.h"

namespace hearsay::sdk {

// Which file has a name.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  bool operator==(const FileIdentity&) const = default;
};

struct OpenedDatabase {
  Database database;
  bool is_new;  // empty: the caller makes the tables in one transaction and then calls finish_new()
  FileIdentity identity;
};

enum class IfMissing : std::uint8_t { kMake, kRefuse };

// The absolute path of a database's file, whose directory exists. The functions below want such a path, so that a
// process may change its working directory. Errors: kIo, kInvalidArgument (a name that SQLite or the marker of a new
// database may use for another file than the database).
Result<std::string> absolute_path(const std::string& name);

// Opens a database, or makes an empty one, readable and writable by its owner only. An empty file is new only if
// open_database() itself made it: a file that lost its contents is kLedgerDamaged. A file with two names is kIo: it
// could have two journals.
Result<OpenedDatabase> open_database(const std::string& path, IfMissing if_missing);

// Notes that the database has its tables. Does nothing if that was noted before.
Result<void> finish_new(const std::string& path);

}  // namespace hearsay::sdk
