// The ids that lie on the disk, in the family `ids`: those of blocks from ids_from_ on.
#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

constexpr std::size_t kLookups = 4096;  // of lost_ids(), at a time

}  // namespace

Result<void> RocksStore::put_disk_id(rocksdb::WriteBatch& batch, const IdKey& key,
                                     std::span<const std::uint8_t> content) const {
  const DiskDigest digest = disk_digest(content);
  return to_result(
      batch.Put(family(kIds), rocksdb::Slice(key.data(), key.size()), rocksdb::Slice(digest.data(), digest.size())));
}

Result<std::vector<std::optional<DiskDigest>>> RocksStore::find_disk_ids(std::span<const IdKey> keys) const {
  std::vector<rocksdb::Slice> slices;
  slices.reserve(keys.size());
  for (const IdKey& key : keys) slices.emplace_back(key.data(), key.size());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> found(keys.size());
  db_->MultiGet({}, family(kIds), keys.size(), slices.data(), values.data(), found.data());
  std::vector<std::optional<DiskDigest>> digests(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (found[k].IsNotFound()) continue;
    HEARSAY_CHECK_OK(to_result(found[k]));
    DiskDigest& digest = digests[k].emplace();
    if (values[k].size() != digest.size()) return corrupt_entry("ids", {keys[k].data(), keys[k].size()});
    std::copy_n(values[k].data(), digest.size(), digest.begin());
  }
  return digests;
}

Result<std::vector<ReportId>> RocksStore::lost_ids(const Task& task) const {
  std::vector<ReportId> lost;
  if (!ids_from_) return lost;
  std::vector<ReportId> ids;
  std::vector<IdKey> keys;
  std::vector<DiskDigest> expected;
  const auto look_up = [&]() -> Result<void> {
    HEARSAY_TRY(const auto digests, find_disk_ids(keys));
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (digests[k] != expected[k]) lost.push_back(ids[k]);
    }
    ids.clear();
    keys.clear();
    expected.clear();
    return {};
  };
  HEARSAY_CHECK_OK(for_each_block(task, [&](const BlockKey& key, BlockReader block) -> Result<void> {
    if (key.sequence < *ids_from_) return {};
    for (std::span<const std::uint8_t> content; !block.done();) {
      HEARSAY_TRY(const ReportView report, block.next(content));
      ids.push_back(report.id);
      keys.push_back(id_key(task.id(), report.id));
      expected.push_back(disk_digest(content));
    }
    return keys.size() < kLookups ? Result<void>() : look_up();
  }));
  HEARSAY_CHECK_OK(look_up());
  return lost;
}

}  // namespace hearsay::store::rocks
