// Telling a write-ahead log that was cut short from one that was damaged.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::aggregator {

enum class WalState : std::uint8_t {
  kWhole,    // ends behind a record
  kTorn,     // ends within a record, as a write that never finished leaves it
  kDamaged,  // anything else
};

struct WalInspection {
  WalState state = WalState::kWhole;
  std::uint64_t offset = 0;  // of the torn or damaged record's header
};

// Walks the records of one log file as RocksDB 7 writes them (blocks of 32 KiB; records of CRC-32C, length, type and
// bytes that do not cross blocks; no recycling, no compression). Reads the file once. Errors: kStoreFailed if it cannot
// be read.
Result<WalInspection> inspect_wal(rocksdb::Env& env, const std::string& path);

// The log files of the database in `directory`, oldest first.
Result<std::vector<std::string>> wal_files(rocksdb::Env& env, const std::string& directory);

}  // namespace hearsay::aggregator
