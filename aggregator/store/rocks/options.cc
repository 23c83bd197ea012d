#include "aggregator/store/rocks/options.h"

#include <rocksdb/cache.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <array>
#include <cstdarg>
#include <memory>

#include "aggregator/store/rocks/merge_operators.h"

namespace hearsay::store::rocks {
namespace {

constexpr std::size_t kMiB = 1U << 20U;

// Blocks of this size or more go into blob files, which compaction seldom rewrites.
constexpr std::uint64_t kMinBlob = 4096;
constexpr std::size_t kBlobFile = 64 * kMiB;

// The block cache holds data, index and filter blocks of all families. The memtables of all families together take
// about kMemtables, and kWriteBuffer more while a memtable is written out.
constexpr std::size_t kBlockCache = 128 * kMiB;
constexpr std::size_t kWriteBuffer = 64 * kMiB;
constexpr std::size_t kMemtables = 128 * kMiB;
// Bounds the write-ahead log that a start has to read.
constexpr std::size_t kTotalWal = 256 * kMiB;

// Throws away RocksDB's own log of events. Errors come back as statuses. If RocksDB could not write a log file, for
// example on a full disk, RocksDB would end the process.
class Unlogged final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

}  // namespace

rocksdb::DBOptions database_options(rocksdb::Env* env) {
  rocksdb::DBOptions options;
  options.env = env;
  options.info_log = std::make_shared<Unlogged>();
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  // See format.md, "Damage".
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.track_and_verify_wals_in_manifest = true;
  options.paranoid_checks = true;
  // With checksums of files, a damaged file can be named; see damage.h.
  options.file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  options.recycle_log_file_num = 0;
  options.db_write_buffer_size = kMemtables;
  options.max_total_wal_size = kTotalWal;
  options.max_background_jobs = 2;
  options.max_open_files = 512;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors() {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(kBlockCache);
  // Indexes and filters grow with the number of reports. The block cache bounds the memory for both.
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;

  rocksdb::ColumnFamilyOptions plain;  // compression: the default
  plain.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  plain.write_buffer_size = kWriteBuffer;

  rocksdb::ColumnFamilyOptions meta = plain;
  meta.merge_operator = totals_merge();
  rocksdb::BlockBasedTableOptions filtered = table;
  filtered.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::ColumnFamilyOptions tallies = plain;
  tallies.merge_operator = tally_merge();
  // Appends to a window with many pairs look up parts. Most of these parts do not exist yet, so a filter saves reads.
  tallies.table_factory.reset(rocksdb::NewBlockBasedTableFactory(filtered));
  // A commit leaves one operand for each part that it touches, and a read of the part adds up all operands in memory.
  // With this option, RocksDB adds up operands when a commit brings them. So reads do not get slower with the number of
  // commits.
  meta.max_successive_merges = tallies.max_successive_merges = 32;

  // Reports are noise, so compression would gain nothing. Expiry deletes reports by whole windows, in about the order
  // of their arrival. So the reports in a blob file become garbage together.
  rocksdb::ColumnFamilyOptions blocks = plain;
  blocks.compression = rocksdb::kNoCompression;
  blocks.enable_blob_files = true;
  blocks.min_blob_size = kMinBlob;
  blocks.blob_file_size = kBlobFile;
  blocks.enable_blob_garbage_collection = true;

  // Nearly every id that is looked up is new. With 10 bits a key, the filters answer 99 in 100 lookups without reading
  // a block.
  rocksdb::ColumnFamilyOptions ids = plain;
  ids.compression = rocksdb::kNoCompression;
  ids.table_factory.reset(rocksdb::NewBlockBasedTableFactory(filtered));

  rocksdb::ColumnFamilyOptions sealed = plain;
  sealed.merge_operator = count_merge();

  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const auto& options : {plain, meta, plain, blocks, ids, tallies, sealed}) {
    families.emplace_back(std::string(family_name(Family{families.size()})), options);
  }
  return families;
}

std::string_view family_name(Family family) {
  constexpr std::array<std::string_view, kFamilies> kNames = {"default", "meta",    "tasks", "blocks",
                                                              "ids",     "tallies", "sealed"};
  return kNames[family];
}

}  // namespace hearsay::store::rocks
