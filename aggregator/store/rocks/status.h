// RocksDB's statuses as errors of this project.
#pragma once

#include <rocksdb/status.h>

#include <string>

#include "hearsay/result.h"

namespace hearsay::store::rocks {

// kStoreCorrupt for damage, kStoreFailed for everything else. The text is RocksDB's own: file names, offsets, keys in
// hexadecimal, never a value. Bytes that a person cannot read are shown as \xNN, as in all errors made here.
Error to_error(const rocksdb::Status& status);
Result<void> to_result(const rocksdb::Status& status);

// What the store finds out itself.
Error corrupt(const std::string& message);
Error failed(const std::string& message);

}  // namespace hearsay::store::rocks
