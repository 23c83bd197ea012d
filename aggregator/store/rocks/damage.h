// Which file of a database is damaged. RocksDB's statuses often do not say.
#pragma once

#include <rocksdb/db.h>

#include <string>

#include "hearsay/result.h"

namespace hearsay::store::rocks {

// The error of a database in `directory` that does not open or cannot be read, with the name of the damaged file as
// well as can be told. Reads the MANIFEST and the tables, if RocksDB's own text names neither a table nor a blob file.
Error name_damage(const rocksdb::Status& status, rocksdb::Env* env, const std::string& directory);

// The error of damage that was met while the open database was read. Reads all of its files if RocksDB's own text names
// neither a table nor a blob file.
Error name_damaged_file(const rocksdb::Status& status, rocksdb::DB& db, const std::string& directory);

// The MANIFEST that CURRENT names; CURRENT itself if that cannot be told.
std::string current_manifest(rocksdb::Env* env, const std::string& directory);

// The newest file in `directory` whose name ends in `suffix`, by its number; empty if there is none.
std::string newest_file(rocksdb::Env* env, const std::string& directory, const std::string& suffix);

}  // namespace hearsay::store::rocks
