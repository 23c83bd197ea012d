// What a start learns from the blocks: every report is there and whole, the tallies count as many, and which ids are
// taken.
#include <array>
#include <map>

#include "aggregator/store/rocks/append.h"
#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/damage.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

constexpr std::size_t kReadahead = std::size_t{2} << 20U;
constexpr std::size_t kPending = 4096;  // ids that are hidden and inserted at a time
constexpr std::size_t kIdsPerCommit = 8192;
constexpr std::size_t kAhead = 12;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace

class RocksStore::Rebuild {
 public:
  explicit Rebuild(RocksStore& store) : store_(store), step_(store.totals_.blocks / counts_by_age_.size() + 1) {}

  Result<void> run() {
    const std::uint64_t most = store_.max_index_bytes_ / IdIndex::kMaxBytesPerEntry;
    const bool fits = store_.totals_.live_reports <= most;
    load_below_ = fits && !store_.read_only_ ? kAll : 0;
    HEARSAY_CHECK_OK(scan());
    HEARSAY_CHECK_OK(check_counts());
    HEARSAY_CHECK_OK(check_tallies());
    if (store_.read_only_) return {};
    if (fits) return clear_disk_ids();
    HEARSAY_CHECK_OK(move_to_disk(most));
    first_ = false;
    load_below_ = *store_.ids_from_;
    return scan();
  }

 private:
  using Window = std::pair<TaskId, UnixSeconds>;

  // Reads every block; loads the ids of those below load_below_; the first time, counts.
  Result<void> scan() {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    options.readahead_size = kReadahead;
    const std::unique_ptr<rocksdb::Iterator> entry(store_.db_->NewIterator(options, store_.family(kBlocks)));
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
      HEARSAY_TRY(const BlockKey key, BlockKey::decode(view(entry->key())));
      if (!first_ && key.sequence >= load_below_) continue;
      HEARSAY_CHECK_OK(read_block(key, view(entry->value())));
    }
    if (entry->status().IsCorruption()) {  // RocksDB names no file here
      return Error{ErrorCode::kStoreCorrupt,
                   "store: " + entry->status().ToString() + ", in the *.blob or *.sst files of " + store_.path_};
    }
    if (!entry->status().ok()) return name_damage(entry->status(), store_.env_, store_.path_);
    return insert_pending();
  }

  Result<void> read_block(const BlockKey& key, std::string_view value) {
    if (task_ == nullptr || task_->row.stored.task.id() != key.task) {
      HEARSAY_CHECK_OK(insert_pending());
      task_ = store_.find_task(key.task);
    }
    if (task_ == nullptr || key.sequence >= store_.totals_.blocks ||
        task_->row.stored.task.window_of(key.window) != key.window) {
      return corrupt_entry("blocks", key.encode());
    }
    HEARSAY_TRY(BlockReader block, BlockReader::create(key, value));
    const std::uint64_t precision = task_->row.stored.task.spec().time_precision;
    const bool load = key.sequence < load_below_;
    for (std::span<const std::uint8_t> content; !block.done();) {
      HEARSAY_TRY(const ReportView report, block.next(content));
      if (report.time < key.window || report.time - key.window >= precision) {
        return corrupt_entry("blocks", key.encode());
      }
      if (!load) continue;
      ids_.push_back(report.id);
      digests_.push_back(store_.secret_.digest(content));
    }
    if (ids_.size() >= kPending) HEARSAY_CHECK_OK(insert_pending());
    if (first_) {
      windows_[{key.task, key.window}] += block.reports();
      counts_by_age_[key.sequence / step_] += block.reports();
      reports_ += block.reports();
      ++blocks_;
      task_->reports += block.reports();
      ++task_->blocks;
    }
    return {};
  }

  Result<void> insert_pending() {
    hidden_.resize(ids_.size());
    store_.secret_.hide(ids_, hidden_);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (i + kAhead < ids_.size()) task_->index.prefetch(hidden_[i + kAhead]);
      if (task_->index.find(hidden_[i]) != 0) {
        return Error{ErrorCode::kStoreCorrupt, "store: task " + task_->row.stored.task.id().to_string() +
                                                   " has the report " + ids_[i].to_string() + " twice"};
      }
      task_->index.insert(hidden_[i], digests_[i]);
    }
    if (!ids_.empty()) store_.count_index(*task_);
    ids_.clear();
    digests_.clear();
    return {};
  }

  Result<void> check_counts() const {
    if (reports_ == store_.totals_.live_reports && blocks_ == store_.totals_.live_blocks) return {};
    return Error{ErrorCode::kStoreCorrupt, "store: " + store_.path_ + " has " + std::to_string(reports_) +
                                               " reports in " + std::to_string(blocks_) + " blocks, and there were " +
                                               std::to_string(store_.totals_.live_reports) + " in " +
                                               std::to_string(store_.totals_.live_blocks)};
  }

  Result<void> check_tallies() {
    HEARSAY_CHECK_OK(each_row(kSealed, [&](const TaskState& task, const Window& window, std::string_view value) {
      if (value.size() != kIntegerSize || window.second >= task.row.sealed_before) return false;
      windows_[window] += decode_integer(value);
      return true;
    }));
    Error difference{ErrorCode::kStoreCorrupt, ""};
    HEARSAY_CHECK_OK(each_row(kTallies, [&](const TaskState& task, const Window& window, std::string_view value) {
      const auto tally = tally::Tally::decode(value);
      tally::Tally sum = tally::Tally::empty(task.row.stored.task.channel());
      if (!tally || !sum.merge(*tally)) return false;
      const auto found = windows_.find(window);
      const std::uint64_t reports = found == windows_.end() ? 0 : found->second;
      if (tally->reports() != reports && difference.message.empty()) {
        difference.message = where(window) + "the tally counts " + std::to_string(tally->reports()) +
                             " reports, and there are " + std::to_string(reports);
      }
      if (found != windows_.end()) windows_.erase(found);
      return true;
    }));
    if (difference.message.empty() && !windows_.empty()) {
      const auto& [window, reports] = *windows_.begin();
      difference.message = where(window) + "there are " + std::to_string(reports) + " reports but no tally";
    }
    if (!difference.message.empty()) return difference;
    return {};
  }

  static std::string where(const Window& window) {
    return "store: task " + window.first.to_string() + ", window " + std::to_string(window.second) + ": ";
  }

  // Calls `good` for each row of a family by task and window; false: the row is not of the format.
  template <class Good>
  Result<void> each_row(Family family, const Good& good) const {
    const std::unique_ptr<rocksdb::Iterator> entry(store_.db_->NewIterator({}, store_.family(family)));
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
      HEARSAY_TRY(const WindowKey key, decode_window(family_name(family), view(entry->key())));
      const TaskState* const task = store_.find_task(key.task);
      if (task == nullptr || !good(*task, Window{key.task, key.window}, view(entry->value()))) {
        return corrupt_entry(family_name(family), view(entry->key()));
      }
    }
    return to_result(entry->status());
  }

  // All ids are in memory. What the disk has of them, also of an attempt that was broken off, would only grow stale.
  Result<void> clear_disk_ids() {
    const std::unique_ptr<rocksdb::Iterator> entry(store_.db_->NewIterator({}, store_.family(kIds)));
    entry->SeekToFirst();
    HEARSAY_CHECK_OK(to_result(entry->status()));
    if (!entry->Valid() && !store_.ids_from_) return {};
    rocksdb::WriteBatch batch;
    HEARSAY_CHECK_OK(to_result(
        batch.DeleteRange(store_.family(kIds), std::string(1, '\0'), std::string(sizeof(IdKey) + 1, '\xff'))));
    HEARSAY_CHECK_OK(to_result(batch.Delete(store_.family(kMeta), rocksdb::Slice(kIdsFromKey))));
    store_.ids_from_.reset();
    const std::lock_guard lock(store_.write_mutex_);
    return store_.commit(batch, {});
  }

  // Lets at most `most` ids stay in memory: writes the ids from some sequence number on to the disk, and then that
  // number. Should this be broken off, the number is the old one, and what is written is overwritten or cleared.
  Result<void> move_to_disk(std::uint64_t most) {
    std::uint64_t from = 0;
    std::uint64_t kept = 0;
    for (const std::uint64_t count : counts_by_age_) {
      if (kept + count > most) break;
      kept += count;
      from += step_;
    }
    const std::uint64_t known_from = store_.ids_from_.value_or(store_.totals_.blocks);
    if (store_.ids_from_ && from >= known_from) return {};
    from = std::min(from, known_from);
    const std::lock_guard lock(store_.write_mutex_);
    rocksdb::WriteBatch batch;
    const std::unique_ptr<rocksdb::Iterator> entry(store_.db_->NewIterator({}, store_.family(kBlocks)));
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
      HEARSAY_TRY(const BlockKey key, BlockKey::decode(view(entry->key())));
      if (key.sequence < from || key.sequence >= known_from) continue;
      HEARSAY_TRY(BlockReader block, BlockReader::create(key, view(entry->value())));
      for (std::span<const std::uint8_t> content; !block.done();) {
        HEARSAY_TRY(const ReportView report, block.next(content));
        HEARSAY_CHECK_OK(store_.put_disk_id(batch, id_key(key.task, report.id), content));
      }
      if (batch.Count() < kIdsPerCommit) continue;
      HEARSAY_CHECK_OK(store_.commit(batch, {}));
      batch.Clear();
    }
    HEARSAY_CHECK_OK(to_result(entry->status()));
    const IntegerBytes value = encode_integer(from);
    HEARSAY_CHECK_OK(to_result(
        batch.Put(store_.family(kMeta), rocksdb::Slice(kIdsFromKey), rocksdb::Slice(value.data(), value.size()))));
    HEARSAY_CHECK_OK(store_.commit(batch, {}));
    store_.ids_from_ = from;
    return {};
  }

  RocksStore& store_;
  std::uint64_t load_below_ = 0;
  bool first_ = true;
  TaskState* task_ = nullptr;  // of the block before
  std::vector<ReportId> ids_;  // of this task, not yet inserted
  std::vector<HiddenId> hidden_;
  std::vector<std::uint64_t> digests_;
  std::map<Window, std::uint64_t> windows_;  // reports of each
  std::array<std::uint64_t, 4096> counts_by_age_{};
  std::uint64_t step_;  // sequence numbers per element of counts_by_age_
  std::uint64_t reports_ = 0;
  std::uint64_t blocks_ = 0;
};

Result<void> RocksStore::rebuild() { return Rebuild(*this).run(); }

}  // namespace hearsay::store::rocks
