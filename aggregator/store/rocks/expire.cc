// Seals windows. One commit first moves `sealed before` of the task. From then on append() refuses reports of windows
// before this time. Further commits remove the reports, some blocks in each, and add the number of removed reports to
// `sealed`. So after a crash no count is lost, and the next call continues.
#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/store/sealing.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

// A commit removes no further block after it has removed this many reports or blocks. Appends wait for the commit.
constexpr std::uint64_t kReportsAtOnce = 65'536;
constexpr std::uint64_t kBlocksAtOnce = 4096;
constexpr std::chrono::milliseconds kPause(1);

}  // namespace

Expiry RocksStore::expire(UnixSeconds now) {
  std::vector<TaskId> ids;
  {
    const std::shared_lock lock(tasks_mutex_);
    for (const auto& [id, task] : tasks_) ids.push_back(id);
  }
  Expiry done;
  for (const TaskId& id : ids) {
    if (done.failure) break;
    const auto expired = expire_task(id, now, done.forgotten);
    if (!expired) done.failure = expired.error();
  }
  return done;
}

std::uint64_t RocksStore::sealed_ahead(UnixSeconds now) const {
  std::uint64_t ahead = 0;
  const std::shared_lock lock(tasks_mutex_);
  for (const auto& [id, task] : tasks_) {
    const UnixSeconds due = first_live_window(task.row.stored.task, now);
    if (task.row.sealed_before > due) ahead = std::max(ahead, task.row.sealed_before - due);
  }
  return ahead;
}

Result<void> RocksStore::expire_task(const TaskId& id, UnixSeconds now, std::uint64_t& forgotten) {
  const std::uint64_t before = forgotten;
  UnixSeconds sealed_before = 0;
  std::string from = task_key(id);
  while (true) {
    {
      const std::lock_guard lock(write_mutex_);
      HEARSAY_CHECK_OK(writable());
      TaskState* const task = find_task(id);
      if (task == nullptr) break;
      HEARSAY_CHECK_OK(seal(*task, first_live_window(task->row.stored.task, now)));
      sealed_before = task->row.sealed_before;
      const auto some = forget_some(*task, from);
      if (!some) return damaged(some.error());
      if (*some == 0) break;
      forgotten += *some;
    }
    // The mutex is not fair. Without a pause, this thread could take the mutex again and again while appends wait.
    std::this_thread::sleep_for(kPause);
  }
  return forgotten == before ? Result<void>() : drop_forgotten(id, sealed_before);
}

Result<void> RocksStore::seal(TaskState& state, UnixSeconds before) {
  if (before <= state.row.sealed_before) return {};
  TaskRow row = state.row;
  row.sealed_before = before;
  return put_task(state, std::move(row));
}

Result<std::uint64_t> RocksStore::forget_some(TaskState& state, std::string& from) {
  const TaskId id = state.row.stored.task.id();
  std::map<UnixSeconds, std::vector<ReportId>> ids;  // ids of each window
  std::uint64_t blocks = 0;
  rocksdb::WriteBatch batch;
  std::uint64_t forgotten = 0;
  const auto forget_block = [&](const BlockKey& key, std::string_view value) -> Result<bool> {
    std::vector<ReportId>& of_window = ids[key.window];
    const auto collect = [&](const ReportView& report, std::span<const std::uint8_t>) -> Result<void> {
      of_window.push_back(report.id);
      return {};
    };
    HEARSAY_TRY(const std::uint64_t reports, read_block(key, value, collect));
    forgotten += reports;
    ++blocks;
    from = key.encode();
    HEARSAY_CHECK_OK(to_result(batch.Delete(family(kBlocks), from)));
    return forgotten < kReportsAtOnce && blocks < kBlocksAtOnce;
  };
  HEARSAY_CHECK_OK(for_each_block(from, window_key(id, state.row.sealed_before), forget_block));
  if (blocks == 0) return std::uint64_t{0};

  for (const auto& [window, reports] : ids) {
    HEARSAY_CHECK_OK(to_result(batch.Merge(family(kSealed), window_key(id, window), encode_integer(reports.size()))));
    if (!ids_from_) continue;
    for (const ReportId& report : reports) {
      HEARSAY_CHECK_OK(to_result(batch.Delete(family(kIds), id_key(id, window, report))));
    }
  }
  Totals change;
  change.live_reports -= forgotten;
  change.live_blocks -= blocks;
  HEARSAY_CHECK_OK(commit(batch, change));
  for (const auto& [window, reports] : ids) {
    std::vector<HiddenId> hidden(reports.size());
    secret_.hide(window, reports, hidden);
    for (const HiddenId& each : hidden) state.index.erase(each);
  }
  state.reports -= forgotten;
  state.blocks -= blocks;
  publish_statistics();
  return forgotten;
}

// Frees disk space. RocksDB itself drops deleted values only when new writes cause a compaction. In a store with few
// writes, a compaction may come late.
Result<void> RocksStore::drop_forgotten(const TaskId& id, UnixSeconds before) {
  HEARSAY_CHECK_OK(is_in_place());  // files are made and deleted by path
  const std::string begin = task_key(id);
  const std::string end = window_key(id, before);
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
  const auto add = [&](std::string_view key, std::string_view value) -> Result<bool> {
    HEARSAY_TRY(const WindowKey window, decode_window("sealed", key));
    if (value.size() != kIntegerSize) return corrupt_entry("sealed", key);
    windows.reports.emplace_back(window.window, decode_integer(value));
    return true;
  };
  HEARSAY_CHECK_OK(for_each_entry(kSealed, task_key(task.id()), task_upper_bound(task.id()), add));
  return windows;
}

}  // namespace hearsay::store::rocks
