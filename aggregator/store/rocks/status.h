// Turns RocksDB's statuses into errors of this project.
#pragma once

#include <rocksdb/status.h>

#include <string>

#include "hearsay/result.h"

namespace hearsay::store::rocks {

// Returns kStoreCorrupt for damage, and kStoreFailed for everything else. The text is RocksDB's own: file names,
// offsets, keys in hexadecimal, never a value. Unprintable bytes are shown as \xNN.
Error to_error(const rocksdb::Status& status);
Result<void> to_result(const rocksdb::Status& status);

// Make the errors for faults that the store itself finds.
Error corrupt(const std::string& message);
Error failed(const std::string& message);

}  // namespace hearsay::store::rocks
