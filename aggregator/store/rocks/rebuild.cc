// Reads all blocks at a start. Checks that no report is missing or damaged, and that the tallies count the same number
// of reports. Collects the ids.
#include <optional>
#include <utility>

#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

constexpr std::size_t kIdsPerCommit = 8192;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

}  // namespace

class RocksStore::Rebuild {
 public:
  explicit Rebuild(RocksStore& store) : store_(store), most_ids_(store.max_index_bytes_ / IdIndex::kMaxBytesPerEntry) {}

  Result<void> run() {
    const bool fits = store_.totals_.live_reports <= most_ids_;
    if (!store_.read_only_) load_below_ = fits ? kAll : store_.ids_from_.value_or(kAll);
    HEARSAY_CHECK_OK(store_.for_each_block(
        {}, {}, [&](const BlockKey& key, std::string_view value) { return take_block(key, value); }));
    HEARSAY_CHECK_OK(check_counts());
    HEARSAY_CHECK_OK(check_tallies());
    if (store_.read_only_) return {};
    return fits ? clear_disk_ids() : move_to_disk();
  }

 private:
  // Puts the block's ids into the index if the block lies below load_below_.
  Result<bool> take_block(const BlockKey& key, std::string_view value) {
    TaskState* const task = store_.find_task(key.task);
    if (task == nullptr || key.sequence >= store_.totals_.blocks ||
        task->row.stored.task.window_of(key.window) != key.window) {
      return corrupt_entry("blocks", key.encode());
    }
    const std::uint64_t precision = task->row.stored.task.spec().time_precision;
    const bool load = key.sequence < load_below_;
    ids_.clear();
    digests_.clear();
    const auto take = [&](const ReportView& report, std::span<const std::uint8_t> content) -> Result<void> {
      if (report.time < key.window || report.time - key.window >= precision) {
        return corrupt_entry("blocks", key.encode());
      }
      if (!load) return {};
      ids_.push_back(report.id);
      digests_.push_back(store_.secret_.digest(content));
      return {};
    };
    HEARSAY_TRY(const std::uint64_t reports, read_block(key, value, take));
    task->windows[key.window].reports += reports;
    reports_ += reports;
    ++blocks_;
    task->reports += reports;
    ++task->blocks;
    HEARSAY_CHECK_OK(insert_ids(*task, key.window));
    return true;
  }

  Result<void> insert_ids(TaskState& task, UnixSeconds window) {
    hidden_.resize(ids_.size());
    store_.secret_.hide(window, ids_, hidden_);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (task.index.find(hidden_[i]) != 0) {
        return corrupt("task " + task.row.stored.task.id().to_string() + ", window " + std::to_string(window) +
                       " has the report " + ids_[i].to_string() + " twice");
      }
      task.index.insert(hidden_[i], digests_[i]);
    }
    if (store_.index_usage_.ids <= most_ids_) return {};
    // There are too many ids for memory. All ids go to the disk.
    load_below_ = 0;
    for (auto& [id, each] : store_.tasks_) each.index.clear();
    return {};
  }

  Result<void> check_counts() const {
    if (reports_ == store_.totals_.live_reports && blocks_ == store_.totals_.live_blocks) return {};
    return corrupt(store_.path_ + " has " + std::to_string(reports_) + " reports in " + std::to_string(blocks_) +
                   " blocks, and there were " + std::to_string(store_.totals_.live_reports) + " in " +
                   std::to_string(store_.totals_.live_blocks));
  }

  // Checks that the tallies count the stored reports and the reports that were deleted when their windows were sealed.
  // One part is in memory at a time.
  Result<void> check_tallies() {
    HEARSAY_CHECK_OK(count_forgotten());
    TaskState* task = nullptr;
    UnixSeconds window = 0;
    WindowCounts counted;
    const auto add = [&](std::string_view key, std::string_view value) -> Result<bool> {
      HEARSAY_TRY(const PartKey part, PartKey::decode(key));
      TaskState* const of = store_.find_task(part.task);
      if (of == nullptr) return corrupt_entry("tallies", key);
      if (of != task || part.window != window) {
        finish_window(task, window, std::exchange(counted, {}));
        task = of;
        window = part.window;
      }
      HEARSAY_TRY(const tally::Tally tally, RocksStore::decode_part(of->parts, part, key, value));
      counted.reports += tally.reports();
      counted.pairs += tally::Parts::pairs(tally);
      return true;
    };
    HEARSAY_CHECK_OK(store_.for_each_entry(kTallies, {}, {}, add));
    finish_window(task, window, counted);
    for (auto& [id, each] : store_.tasks_) {
      for (const auto& [start, counts] : each.windows) {
        each.counted += counts.reports;
        if (counts.pairs == 0) {
          differ(each, start, "there are " + std::to_string(counts.reports) + " reports but no tally");
        }
      }
      each.count_open_windows();
    }
    if (!difference_.empty()) return corrupt(difference_);
    return {};
  }

  // Call this when all parts of the window are counted. Does nothing if `task` is null.
  void finish_window(TaskState* task, UnixSeconds window, const WindowCounts& counted) {
    if (task == nullptr) return;
    WindowCounts& there = task->windows[window];
    if (counted.reports != there.reports) {
      differ(*task, window,
             "the tally counts " + std::to_string(counted.reports) + " reports, and there are " +
                 std::to_string(there.reports));
    }
    there.pairs = counted.pairs;
  }

  Result<void> count_forgotten() {
    return store_.for_each_entry(kSealed, {}, {}, [&](std::string_view key, std::string_view value) -> Result<bool> {
      HEARSAY_TRY(const WindowKey window, decode_window("sealed", key));
      TaskState* const task = store_.find_task(window.task);
      if (task == nullptr || value.size() != kIntegerSize || window.window >= task->row.sealed_before) {
        return corrupt_entry("sealed", key);
      }
      task->windows[window.window].reports += decode_integer(value);
      return true;
    });
  }

  // Keeps the first difference, for the error.
  void differ(const TaskState& task, UnixSeconds window, const std::string& what) {
    if (!difference_.empty()) return;
    difference_ = "task " + task.row.stored.task.id().to_string() + ", window " + std::to_string(window) + ": " + what;
  }

  // All ids are in memory. So all ids on the disk are removed, also ids that an interrupted start left.
  Result<void> clear_disk_ids() {
    bool any = store_.ids_from_.has_value();
    HEARSAY_CHECK_OK(store_.for_each_entry(kIds, {}, {}, [&](std::string_view, std::string_view) -> Result<bool> {
      any = true;
      return false;
    }));
    if (!any) return {};
    rocksdb::WriteBatch batch;
    HEARSAY_CHECK_OK(
        to_result(batch.DeleteRange(store_.family(kIds), std::string(1, '\0'), std::string(kIdKeySize + 1, '\xff'))));
    HEARSAY_CHECK_OK(to_result(batch.Delete(store_.family(kMeta), rocksdb::Slice(kIdsFromKey))));
    store_.ids_from_.reset();
    const std::lock_guard lock(store_.write_mutex_);
    return store_.commit(batch, {});
  }

  // Writes the ids that the disk lacks, and then sets ids_from to 0. Does nothing if these ids fit into memory. If the
  // process ends before ids_from is set, ids_from keeps its old value, and a later start overwrites or clears the
  // written ids.
  Result<void> move_to_disk() {
    const std::uint64_t on_disk_from = store_.ids_from_.value_or(store_.totals_.blocks);
    if (load_below_ == on_disk_from) return {};
    const std::lock_guard lock(store_.write_mutex_);
    rocksdb::WriteBatch batch;
    const auto put_ids = [&](const BlockKey& key, std::string_view value) -> Result<bool> {
      if (key.sequence >= on_disk_from) return true;
      HEARSAY_CHECK_OK(read_block(key, value, [&](const ReportView& report, std::span<const std::uint8_t> content) {
        return store_.put_disk_id(batch, id_key(key.task, key.window, report.id), content);
      }));
      if (batch.Count() < kIdsPerCommit) return true;
      HEARSAY_CHECK_OK(store_.commit(batch, {}));
      batch.Clear();
      return true;
    };
    HEARSAY_CHECK_OK(store_.for_each_block({}, {}, put_ids));
    HEARSAY_CHECK_OK(to_result(batch.Put(store_.family(kMeta), rocksdb::Slice(kIdsFromKey), encode_integer(0))));
    HEARSAY_CHECK_OK(store_.commit(batch, {}));
    store_.ids_from_ = 0;
    return {};
  }

  RocksStore& store_;
  const std::uint64_t most_ids_;  // limit on the ids in the index
  std::uint64_t load_below_ = 0;  // ids of blocks below this sequence number go into the index
  std::vector<ReportId> ids_;     // ids_, digests_ and hidden_ are of the block being read
  std::vector<std::uint64_t> digests_;
  std::vector<HiddenId> hidden_;
  std::string difference_;
  std::uint64_t reports_ = 0;
  std::uint64_t blocks_ = 0;
};

Result<void> RocksStore::rebuild() { return Rebuild(*this).run(); }

}  // namespace hearsay::store::rocks
