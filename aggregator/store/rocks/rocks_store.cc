#include "aggregator/store/rocks/rocks_store.h"

#include <rocksdb/convenience.h>

#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/damage.h"
#include "aggregator/store/rocks/status.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

Error unrecognized(const TaskId& id) { return {ErrorCode::kUnrecognizedTask, "there is no task " + id.to_string()}; }

}  // namespace

RocksStore::RocksStore(const Options& options, rocksdb::Env* env, std::uint64_t max_window_reports)
    : path_(options.path),
      read_only_(options.read_only),
      max_index_bytes_(options.max_index_bytes),
      max_window_reports_(max_window_reports),
      max_window_pairs_(options.max_window_pairs),
      max_task_windows_(options.max_task_windows),
      max_tally_pairs_(options.max_tally_pairs),
      env_(env),
      secret_(system_bit_source()) {}

RocksStore::~RocksStore() {
  // If stop_cleanly() fails, the log still holds everything, as after a crash. If another store lies at path_, nothing
  // is written.
  if (mark_ && healthy_ && is_in_place()) static_cast<void>(stop_cleanly());
  close_database();
}

Result<void> RocksStore::stop_cleanly() {
  HEARSAY_CHECK_OK(to_result(db_->Flush(rocksdb::FlushOptions(), handles_)));
  HEARSAY_CHECK_OK(to_result(db_->SyncWAL()));
  return mark_->sync();
}

Result<void> RocksStore::is_in_place() const {
  if (Place::of(path_) == place_) return {};
  return failed(path_ + " was moved, removed or replaced while this process had it open");
}

Result<void> RocksStore::check_directory() {
  if (!mark_) return {};
  auto in_place = is_in_place();
  if (in_place) return {};
  // The lock is taken only after a failed check, so that a commit that hangs does not delay other callers.
  const std::lock_guard lock(write_mutex_);
  return failure_ ? *failure_ : fail(in_place.error());
}

Result<void> RocksStore::writable() const {
  if (read_only_) return failed(path_ + " is open for reading only");
  if (failure_) return *failure_;
  return {};
}

std::optional<Error> RocksStore::failure() const {
  if (healthy_) return std::nullopt;
  const std::lock_guard lock(write_mutex_);
  return failure_;
}

// Marks the store as failed, and stops RocksDB's background work. RocksDB opens files by path, so in a replaced
// directory it could write or delete another store's files.
Error RocksStore::fail(Error error) {
  failure_ = std::move(error);
  healthy_ = false;
  if (db_ && !read_only_) {
    db_->DisableFileDeletions().PermitUncheckedError();
    rocksdb::CancelAllBackgroundWork(db_.get(), /*wait=*/false);
  }
  return *failure_;
}

Error RocksStore::damaged(Error error) {
  // A store that is known to be damaged takes no more reports.
  return error.code == ErrorCode::kStoreCorrupt ? fail(std::move(error)) : error;
}

Result<void> RocksStore::commit(rocksdb::WriteBatch& batch, Totals change) {
  change.commits = 1;
  Totals totals = totals_;
  totals += change;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kMeta), rocksdb::Slice(kLastKey), totals.encode())));
  HEARSAY_CHECK_OK(to_result(batch.Merge(family(kMeta), rocksdb::Slice(kSumKey), change.encode())));
  rocksdb::WriteOptions options;
  options.sync = true;
  auto written = to_result(db_->Write(options, &batch));
  // The mark is written after the commit, never before.
  if (written && mark_) written = mark_->write(totals.commits);
  if (written && mark_ && rotated_->exchange(false)) written = mark_->sync();
  // Writes to open files succeed even if the directory was moved or removed, but a later start would not find these
  // files.
  if (written && mark_) written = is_in_place();
  if (written) {
    totals_ = totals;
    publish_statistics();
    return {};
  }
  // Perhaps the batch reached the disk, perhaps not. After a failed sync the kernel may have dropped earlier pages,
  // too. The next start finds out whether the batch is on the disk.
  return fail({ErrorCode::kStoreFailed,
               "a write failed, and the store takes nothing more until a restart: " + written.error().message});
}

TaskState* RocksStore::find_task(const TaskId& id) {
  const auto task = tasks_.find(id);
  return task == tasks_.end() ? nullptr : &task->second;
}

Result<void> RocksStore::put_task(TaskState& state, TaskRow row) {
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kTasks), task_key(row.stored.task.id()), task_value(row))));
  HEARSAY_CHECK_OK(commit(batch, {}));
  const std::unique_lock lock(tasks_mutex_);
  state.row = std::move(row);
  state.count_open_windows();
  return {};
}

Result<void> RocksStore::add_task(const Task& task) {
  const std::lock_guard lock(write_mutex_);
  // A task that the store knows is on the disk. So adding the task again succeeds, even after a failure.
  if (!read_only_ && find_task(task.id()) != nullptr) return {};
  HEARSAY_CHECK_OK(writable());
  TaskRow row{{task, std::nullopt}, 0};
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kTasks), task_key(task.id()), task_value(row))));
  HEARSAY_CHECK_OK(commit(batch, {.live_tasks = 1}));
  const std::unique_lock tasks_lock(tasks_mutex_);
  tasks_.try_emplace(task.id(), std::move(row), index_usage_);
  return {};
}

Result<void> RocksStore::close_task(const TaskId& id, UnixSeconds at) {
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  TaskState* const task = find_task(id);
  if (task == nullptr) return unrecognized(id);
  if (task->row.stored.closed_at) return {};
  TaskRow closed = task->row;
  closed.stored.closed_at = at;
  return put_task(*task, std::move(closed));
}

Result<void> RocksStore::delete_task(const TaskId& id) {
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  TaskState* const task = find_task(id);
  if (task == nullptr) return unrecognized(id);
  const std::string begin = task_key(id);
  const std::string end = task_upper_bound(id);
  rocksdb::WriteBatch batch;
  for (const Family of_task : {kBlocks, kIds, kTallies, kSealed}) {
    HEARSAY_CHECK_OK(to_result(batch.DeleteRange(family(of_task), begin, end)));
  }
  HEARSAY_CHECK_OK(to_result(batch.Delete(family(kTasks), begin)));
  Totals change;
  change.live_tasks -= 1;
  change.live_reports -= task->reports;
  change.live_blocks -= task->blocks;
  HEARSAY_CHECK_OK(commit(batch, change));
  {
    const std::unique_lock tasks_lock(tasks_mutex_);
    tasks_.erase(id);
  }
  publish_statistics();
  return {};
}

Result<void> RocksStore::note_clock(UnixSeconds now) {
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kMeta), rocksdb::Slice(kClockKey), encode_integer(now))));
  HEARSAY_CHECK_OK(commit(batch, {}));
  noted_clock_ = now;
  return {};
}

std::optional<UnixSeconds> RocksStore::noted_clock() const {
  const std::lock_guard lock(write_mutex_);
  return noted_clock_;
}

Result<std::vector<StoredTask>> RocksStore::tasks() const {
  const std::shared_lock lock(tasks_mutex_);
  std::vector<StoredTask> tasks;
  tasks.reserve(tasks_.size());
  for (const auto& [id, task] : tasks_) tasks.push_back(task.row.stored);
  return tasks;
}

Result<void> RocksStore::for_each_entry(Family f, const std::string& from, const std::string& to,
                                        const VisitEntry& visit) const {
  const rocksdb::Slice end(to);
  rocksdb::ReadOptions options;
  if (!to.empty()) options.iterate_upper_bound = &end;
  // A pass over all blocks must not push the ids' filters out of the cache.
  options.fill_cache = f != kBlocks;
  const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator(options, family(f)));
  for (entry->Seek(from); entry->Valid(); entry->Next()) {
    HEARSAY_TRY(const bool go_on, visit(entry->key().ToStringView(), entry->value().ToStringView()));
    if (!go_on) break;
  }
  const rocksdb::Status status = entry->status();
  if (status.ok()) return {};
  if (!status.IsCorruption()) return name_damage(status, env_, path_);
  return name_damaged_file(status, *db_, path_);
}

Result<void> RocksStore::for_each_block(const std::string& from, const std::string& to, const VisitBlock& visit) const {
  return for_each_entry(kBlocks, from, to, [&](std::string_view bytes, std::string_view value) -> Result<bool> {
    HEARSAY_TRY(const BlockKey key, BlockKey::decode(bytes));
    return visit(key, value);
  });
}

TaskCounts RocksStore::counts(const Task& task) const {
  const std::shared_lock lock(tasks_mutex_);
  const auto known = tasks_.find(task.id());
  if (known == tasks_.end()) return {};
  return {known->second.counted, known->second.windows.size()};
}

Result<void> RocksStore::for_each_report(const Task& task,
                                         const std::function<Result<void>(const ReportView&)>& visit) const {
  const auto visit_report = [&](const ReportView& report, std::span<const std::uint8_t>) { return visit(report); };
  const auto visit_block = [&](const BlockKey& key, std::string_view value) -> Result<bool> {
    HEARSAY_CHECK_OK(read_block(key, value, visit_report));
    return true;
  };
  return for_each_block(task_key(task.id()), task_upper_bound(task.id()), visit_block);
}

void RocksStore::publish_statistics() {
  const std::lock_guard lock(statistics_mutex_);
  statistics_.tasks = totals_.live_tasks;
  statistics_.reports = totals_.live_reports;
  statistics_.blocks = totals_.live_blocks;
  statistics_.commits = totals_.commits;
  statistics_.indexed_reports = index_usage_.ids;
  statistics_.index_bytes = index_usage_.bytes;
  statistics_.spilled = ids_from_.has_value();
}

StoreStatistics RocksStore::statistics() const {
  StoreStatistics statistics;
  {
    const std::lock_guard lock(statistics_mutex_);
    statistics = statistics_;
  }
  statistics.healthy = healthy_;
  std::vector<rocksdb::Env::FileAttributes> files;
  // If the directory cannot be listed, its size is unknown. healthy() tells whether the store works.
  if (env_->GetChildrenFileAttributes(path_, &files).ok()) {
    for (const auto& file : files) statistics.disk_bytes += file.size_bytes;
  }
  return statistics;
}

}  // namespace hearsay::store::rocks
