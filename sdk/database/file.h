// Makes and opens the file of a database. Only the owner can read a file that this code makes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "hearsay/result.h"
#include "sdk/database/database.h"

namespace hearsay::sdk {

// Identifies a file independently of its name.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  bool operator==(const FileIdentity&) const = default;
};

struct OpenedDatabase {
  Database database;
  bool is_new;  // the database has no tables: make the tables in one transaction, then call finish_new()
  FileIdentity identity;
};

enum class IfMissing : std::uint8_t { kMake, kRefuse };

// Returns the absolute path of a database's file. The functions below need an absolute path, since the process may
// change its working directory. Errors: kIo (also if the directory does not exist), kInvalidArgument (a name that
// SQLite could use for its own files, or the name of a marker).
Result<std::string> absolute_path(const std::string& name);

// Opens a database, or makes an empty database, which only the owner can read and write. Errors: kIo (also if the file
// has two names, since it could have two journals), kInUse, kLedgerDamaged (also if the file is empty and
// open_database() did not make it).
Result<OpenedDatabase> open_database(const std::string& path, IfMissing if_missing);

// Removes the marker of a new database. Call finish_new() once the database has its tables. Does nothing if there is no
// marker.
Result<void> finish_new(const std::string& path);

}  // namespace hearsay::sdk
