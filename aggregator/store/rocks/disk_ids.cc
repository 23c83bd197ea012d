// Keeps ids on the disk, in the column family `ids`: the ids of the blocks from the sequence number ids_from_ on.
#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/damage.h"
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

constexpr std::size_t kLookups = 4096;  // ids that lost_ids() looks up at a time

}  // namespace

Result<void> RocksStore::put_disk_id(rocksdb::WriteBatch& batch, const std::string& key,
                                     std::span<const std::uint8_t> content) const {
  return to_result(batch.Put(family(kIds), key, disk_digest(content)));
}

Result<std::vector<std::optional<std::string>>> RocksStore::find_disk_ids(const std::vector<std::string>& keys) const {
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> found(keys.size());
  db_->MultiGet({}, family(kIds), keys.size(), slices.data(), values.data(), found.data());
  std::vector<std::optional<std::string>> digests(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (found[k].IsNotFound()) continue;
    if (!found[k].ok()) return name_damage(found[k], env_, path_);
    if (values[k].size() != kDiskDigestSize) return corrupt_entry("ids", keys[k]);
    digests[k] = values[k].ToString();
  }
  return digests;
}

Result<std::vector<ReportId>> RocksStore::lost_ids(const Task& task) const {
  std::vector<ReportId> lost;
  if (!ids_from_) return lost;
  std::vector<ReportId> ids;
  std::vector<std::string> keys;
  std::vector<std::string> expected;
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
  const auto collect = [&](const ReportView& report, std::span<const std::uint8_t> content) -> Result<void> {
    ids.push_back(report.id);
    keys.push_back(id_key(task.id(), task.window_of(report.time), report.id));
    expected.push_back(disk_digest(content));
    return {};
  };
  const auto collect_block = [&](const BlockKey& key, std::string_view value) -> Result<bool> {
    if (key.sequence < *ids_from_) return true;
    HEARSAY_CHECK_OK(read_block(key, value, collect));
    if (keys.size() >= kLookups) HEARSAY_CHECK_OK(look_up());
    return true;
  };
  HEARSAY_CHECK_OK(for_each_block(task_key(task.id()), task_upper_bound(task.id()), collect_block));
  HEARSAY_CHECK_OK(look_up());
  return lost;
}

}  // namespace hearsay::store::rocks
