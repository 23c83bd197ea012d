// Sealing windows. The mark goes first, in one commit: from then on their reports are refused. Then the reports go,
// some blocks a commit, each of which counts in `sealed` what it takes away, so that a crash in between loses no count
// and the next call goes on where this one was.
#include <chrono>
#include <thread>

#include "aggregator/store/rocks/append.h"
#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/status.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

// In one commit, so that appends wait for milliseconds only.
constexpr std::uint64_t kReportsAtOnce = 65'536;
constexpr std::uint64_t kBlocksAtOnce = 4096;
constexpr std::chrono::milliseconds kPause(1);

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// The first window that is not expired, at most the task's end.
UnixSeconds first_live_window(const Task& task, UnixSeconds now) {
  const std::uint64_t age = task.spec().report_expiry_age;
  const std::uint64_t precision = task.spec().time_precision;
  if (age == 0 || now < precision || now - precision < age) return 0;
  return std::min(task.window_of(now - precision - age) + precision, task.end());
}

}  // namespace

Result<std::uint64_t> RocksStore::expire(UnixSeconds now) {
  std::vector<TaskId> ids;
  {
    const std::shared_lock lock(tasks_mutex_);
    for (const auto& [id, task] : tasks_) ids.push_back(id);
  }
  std::uint64_t forgotten = 0;
  for (const TaskId& id : ids) {
    bool more = true;
    bool gone = false;
    UnixSeconds sealed_before = 0;
    for (bool first = true; more; first = false) {
      // The mutex is not fair: without a pause an append that waits for it would be passed over again and again.
      if (!first) std::this_thread::sleep_for(kPause);
      const std::lock_guard lock(write_mutex_);
      HEARSAY_CHECK_OK(writable());
      TaskState* const task = find_task(id);
      if (task == nullptr) break;
      if (first) HEARSAY_CHECK_OK(seal(*task, first_live_window(task->row.stored.task, now)));
      more = task->may_hold_sealed;
      if (!more) break;
      auto some = forget_some(id);
      if (!some) return damaged(some.error());
      forgotten += *some;
      gone = gone || *some != 0;
      sealed_before = task->row.sealed_before;
      more = task->may_hold_sealed;
    }
    if (gone) HEARSAY_CHECK_OK(drop_forgotten(id, sealed_before));
  }
  return forgotten;
}

Result<void> RocksStore::seal(TaskState& state, UnixSeconds before) {
  if (before <= state.row.sealed_before) return {};
  TaskRow row = state.row;
  row.sealed_before = before;
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kTasks), task_key(row.stored.task.id()), task_value(row))));
  HEARSAY_CHECK_OK(commit(batch, {}));
  const std::unique_lock lock(tasks_mutex_);
  state.row.sealed_before = before;
  state.may_hold_sealed = true;
  return {};
}

Result<std::uint64_t> RocksStore::forget_some(const TaskId& id) {
  TaskState& state = *find_task(id);
  const std::string end = tally_key(id, state.row.sealed_before);
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator(options, family(kBlocks)));
  std::vector<ReportId> ids;
  std::map<UnixSeconds, std::uint64_t> counts;
  std::uint64_t blocks = 0;
  rocksdb::WriteBatch batch;
  // Not from the task's first key again: the deleted ones before would all have to be stepped over.
  std::string last = state.forgotten_to.empty() ? task_key(id) : state.forgotten_to;
  for (entry->Seek(last); entry->Valid() && ids.size() < kReportsAtOnce && blocks < kBlocksAtOnce; entry->Next()) {
    HEARSAY_TRY(const BlockKey key, BlockKey::decode(view(entry->key())));
    HEARSAY_TRY(BlockReader block, BlockReader::create(key, view(entry->value())));
    for (std::span<const std::uint8_t> content; !block.done();) {
      HEARSAY_TRY(const ReportView report, block.next(content));
      ids.push_back(report.id);
    }
    counts[key.window] += block.reports();
    ++blocks;
    HEARSAY_CHECK_OK(to_result(batch.Delete(family(kBlocks), entry->key())));
    last = entry->key().ToString();
  }
  HEARSAY_CHECK_OK(to_result(entry->status()));
  if (!entry->Valid()) state.may_hold_sealed = false;
  if (blocks == 0) return std::uint64_t{0};

  for (const auto& [window, reports] : counts) {
    const IntegerBytes count = encode_integer(reports);
    HEARSAY_CHECK_OK(
        to_result(batch.Merge(family(kSealed), tally_key(id, window), rocksdb::Slice(count.data(), count.size()))));
  }
  if (ids_from_) {
    for (const ReportId& report : ids) {
      const IdKey key = id_key(id, report);
      HEARSAY_CHECK_OK(to_result(batch.Delete(family(kIds), rocksdb::Slice(key.data(), key.size()))));
    }
  }
  Totals change;
  change.live_reports -= ids.size();
  change.live_blocks -= blocks;
  HEARSAY_CHECK_OK(commit(batch, change));
  std::vector<HiddenId> hidden(ids.size());
  secret_.hide(ids, hidden);
  for (const HiddenId& each : hidden) state.index.erase(each);
  count_index(state);
  state.reports -= ids.size();
  state.blocks -= blocks;
  state.forgotten_to = std::move(last);
  publish_statistics();
  return ids.size();
}

// Left to itself, RocksDB keeps deleted values until enough is written over them, which on a quiet store is never.
Result<void> RocksStore::drop_forgotten(const TaskId& id, UnixSeconds before) {
  const std::string begin = task_key(id);
  const std::string end = tally_key(id, before);
  const rocksdb::Slice first(begin);
  const rocksdb::Slice last(end);
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  return to_result(db_->CompactRange(options, family(kBlocks), &first, &last));
}

Result<SealedWindows> RocksStore::sealed(const Task& task) const {
  SealedWindows windows;
  {
    const std::shared_lock lock(tasks_mutex_);
    const auto known = tasks_.find(task.id());
    if (known != tasks_.end()) windows.before = known->second.row.sealed_before;
  }
  const std::string end = task_upper_bound(task.id());
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator(options, family(kSealed)));
  for (entry->Seek(task_key(task.id())); entry->Valid(); entry->Next()) {
    HEARSAY_TRY(const WindowKey key, decode_window("sealed", view(entry->key())));
    if (entry->value().size() != kIntegerSize) return corrupt_entry("sealed", view(entry->key()));
    windows.reports.emplace_back(key.window, decode_integer(view(entry->value())));
  }
  HEARSAY_CHECK_OK(to_result(entry->status()));
  return windows;
}

}  // namespace hearsay::store::rocks
