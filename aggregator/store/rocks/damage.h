// Finds the damaged file of a database, because RocksDB's own errors often do not name the file.
#pragma once

#include <rocksdb/db.h>

#include <string>

#include "hearsay/result.h"

namespace hearsay::store::rocks {

// Returns an error for a database in `directory` that does not open or cannot be read. The message names the damaged
// file, unless this file cannot be found. Reads the MANIFEST and the tables, unless RocksDB's own text names a table or
// a blob file.
Error name_damage(const rocksdb::Status& status, rocksdb::Env* env, const std::string& directory);

// Returns an error for damage that the store found while the database was open. Reads all files of the database, unless
// RocksDB's own text names a table or a blob file.
Error name_damaged_file(const rocksdb::Status& status, rocksdb::DB& db, const std::string& directory);

// Returns the path of the MANIFEST that CURRENT names; the path of CURRENT itself if CURRENT cannot be read.
std::string current_manifest(rocksdb::Env* env, const std::string& directory);

// Returns the file in `directory` that ends in `suffix` and has the largest number; empty if there is none.
std::string newest_file(rocksdb::Env* env, const std::string& directory, const std::string& suffix);

}  // namespace hearsay::store::rocks
