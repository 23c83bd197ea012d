// How the embedded store tunes RocksDB, and why.
#pragma once

#include <rocksdb/db.h>

#include <string>
#include <vector>

namespace hearsay::aggregator {

// The column families in the order in which the store opens them.
enum Family : std::size_t { kDefault, kMeta, kTasks, kReports, kTallies, kFamilies };

rocksdb::DBOptions database_options(rocksdb::Env* env, rocksdb::WALRecoveryMode recovery);
std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors();

}  // namespace hearsay::aggregator
