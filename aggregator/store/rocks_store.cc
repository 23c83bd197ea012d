#include "aggregator/store/rocks_store.h"

#include <rocksdb/utilities/checkpoint.h>

#include "aggregator/store/status.h"
#include "common/base/encoding.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

Error unrecognized(const TaskId& id) { return {ErrorCode::kUnrecognizedTask, "there is no task " + id.to_string()}; }

}  // namespace

RocksStore::~RocksStore() {
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    // Fails only for a handle of another database.
    if (db_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
}

Result<void> RocksStore::writable() const {
  if (read_only_) return Error{ErrorCode::kStoreFailed, "store: " + path_ + " is open for reading only"};
  if (failure_) return *failure_;
  return {};
}

Error RocksStore::fail(Error error) {
  failure_ = std::move(error);
  healthy_ = false;
  return *failure_;
}

Result<void> RocksStore::commit(rocksdb::WriteBatch& batch, std::uint64_t reports) {
  const Totals totals{totals_.commits + 1, totals_.reports + reports};
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kMeta), rocksdb::Slice(kLastKey), totals.encode())));
  HEARSAY_CHECK_OK(to_result(batch.Merge(family(kMeta), rocksdb::Slice(kSumKey), Totals{1, reports}.encode())));
  rocksdb::WriteOptions options;
  options.sync = true;
  const rocksdb::Status status = db_->Write(options, &batch);
  if (status.ok()) {
    totals_ = totals;
    return {};
  }
  // Whether the batch reached the disk is unknown, and after a failed sync the kernel may have dropped earlier pages,
  // too: what is really there shows at the next start.
  return fail(
      {ErrorCode::kStoreFailed, "store: a write failed, nothing is taken until a restart: " + status.ToString()});
}

bool RocksStore::has_task(const TaskId& id) const {
  const std::shared_lock lock(tasks_mutex_);
  return tasks_.contains(id);
}

Result<void> RocksStore::add_task(const Task& task) {
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  if (has_task(task.id())) return {};
  StoredTask stored{task, std::nullopt};
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kTasks), task_key(task.id()), task_value(stored))));
  HEARSAY_CHECK_OK(commit(batch, 0));
  const std::unique_lock tasks_lock(tasks_mutex_);
  tasks_.emplace(task.id(), std::move(stored));
  return {};
}

Result<void> RocksStore::close_task(const TaskId& id, UnixSeconds at) {
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  const auto task = tasks_.find(id);
  if (task == tasks_.end()) return unrecognized(id);
  if (task->second.closed_at) return {};
  StoredTask closed{task->second.task, at};
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kTasks), task_key(id), task_value(closed))));
  HEARSAY_CHECK_OK(commit(batch, 0));
  const std::unique_lock tasks_lock(tasks_mutex_);
  task->second = std::move(closed);
  return {};
}

Result<void> RocksStore::delete_task(const TaskId& id) {
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  if (!has_task(id)) return unrecognized(id);
  const std::string begin = task_key(id);
  const std::string end = task_upper_bound(id);
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.DeleteRange(family(kReports), begin, end)));
  HEARSAY_CHECK_OK(to_result(batch.DeleteRange(family(kTallies), begin, end)));
  HEARSAY_CHECK_OK(to_result(batch.Delete(family(kTasks), begin)));
  HEARSAY_CHECK_OK(commit(batch, 0));
  const std::unique_lock tasks_lock(tasks_mutex_);
  tasks_.erase(id);
  return {};
}

Result<std::vector<StoredTask>> RocksStore::tasks() const {
  const std::shared_lock lock(tasks_mutex_);
  std::vector<StoredTask> tasks;
  tasks.reserve(tasks_.size());
  for (const auto& [id, task] : tasks_) tasks.push_back(task);
  return tasks;
}

Result<void> RocksStore::for_each_tally(const Task& task, WindowRange range,
                                        const std::function<Result<void>(UnixSeconds, Tally)>& visit) const {
  if (range.from >= range.to) return {};
  const std::string end = tally_key(task.id(), range.to);
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator(options, family(kTallies)));
  for (entry->Seek(tally_key(task.id(), range.from)); entry->Valid(); entry->Next()) {
    HEARSAY_TRY(const UnixSeconds window, decode_window(view(entry->key())));
    auto tally = Tally::decode(view(entry->value()));
    if (!tally) {
      return Error{ErrorCode::kStoreCorrupt, "store: the tally of task " + task.id().to_string() + ", window " +
                                                 std::to_string(window) + ": " + tally.error().message};
    }
    HEARSAY_CHECK_OK(visit(window, *std::move(tally)));
  }
  return to_result(entry->status());
}

Result<Tally> RocksStore::tally(const Task& task, WindowRange range) const {
  Tally total = task.channel().empty_tally();
  HEARSAY_CHECK_OK(for_each_tally(task, range, [&](UnixSeconds window, const Tally& tally) -> Result<void> {
    auto merged = total.merge(tally);
    if (merged || merged.error().code == ErrorCode::kOverflow) return merged;
    return Error{ErrorCode::kStoreCorrupt, "store: the tally of task " + task.id().to_string() + ", window " +
                                               std::to_string(window) + " is not of the task's channel"};
  }));
  return total;
}

Result<std::vector<std::pair<UnixSeconds, Tally>>> RocksStore::window_tallies(const Task& task) const {
  std::vector<std::pair<UnixSeconds, Tally>> tallies;
  HEARSAY_CHECK_OK(for_each_tally(task, WindowRange{}, [&](UnixSeconds window, Tally tally) -> Result<void> {
    tallies.emplace_back(window, std::move(tally));
    return {};
  }));
  return tallies;
}

Result<void> RocksStore::for_each_report(const Task& task,
                                         const std::function<Result<void>(const ReportView&)>& visit) const {
  const std::string end = task_upper_bound(task.id());
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  options.fill_cache = false;  // one pass over everything must not push the ids' filters out
  const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator(options, family(kReports)));
  for (entry->Seek(task_key(task.id())); entry->Valid(); entry->Next()) {
    HEARSAY_TRY(const ReportView report, decode_report(view(entry->key()), view(entry->value())));
    HEARSAY_CHECK_OK(visit(report));
  }
  return to_result(entry->status());
}

Result<void> RocksStore::snapshot(const std::string& path) const {
  rocksdb::Checkpoint* checkpoint = nullptr;
  HEARSAY_CHECK_OK(to_result(rocksdb::Checkpoint::Create(db_.get(), &checkpoint)));
  const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
  return to_result(checkpoint->CreateCheckpoint(path));
}

Result<std::uint64_t> RocksStore::expire(UnixSeconds) { return std::uint64_t{0}; }

Result<SealedWindows> RocksStore::sealed(const Task&) const { return SealedWindows{}; }

Result<BackupInfo> RocksStore::backup(const std::string&, std::uint32_t) const {
  return Error{ErrorCode::kStoreFailed, "store: backups are not implemented yet"};
}

StoreStatistics RocksStore::statistics() const {
  StoreStatistics statistics;
  statistics.healthy = healthy_;
  return statistics;
}

}  // namespace hearsay::aggregator
