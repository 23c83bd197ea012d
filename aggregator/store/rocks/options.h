// Sets RocksDB's options for the embedded store, with reasons.
#pragma once

#include <rocksdb/db.h>

#include <string_view>
#include <vector>

namespace hearsay::store::rocks {

// The column families, in the order in which the store opens the families.
enum Family : std::size_t { kDefault, kMeta, kTasks, kBlocks, kIds, kTallies, kSealed, kFamilies };

rocksdb::DBOptions database_options(rocksdb::Env* env);
std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors();
std::string_view family_name(Family family);

}  // namespace hearsay::store::rocks
