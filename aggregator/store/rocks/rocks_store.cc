#include "aggregator/store/rocks/rocks_store.h"

#include "aggregator/store/rocks/append.h"
#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/status.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

Error unrecognized(const TaskId& id) { return {ErrorCode::kUnrecognizedTask, "there is no task " + id.to_string()}; }

}  // namespace

RocksStore::RocksStore(const Options& options, rocksdb::Env* env, std::uint64_t max_window_reports)
    : path_(options.path),
      read_only_(options.read_only),
      max_index_bytes_(options.max_index_bytes),
      max_window_reports_(max_window_reports),
      env_(env),
      secret_(system_bit_source()),
      append_(std::make_unique<Append>(*this)) {}

RocksStore::~RocksStore() {
  // What cannot be written now is in the log, as after a crash.
  if (mark_ && healthy_) static_cast<void>(stop_cleanly());
  close_database();
}

Result<void> RocksStore::stop_cleanly() {
  HEARSAY_CHECK_OK(to_result(db_->Flush(rocksdb::FlushOptions(), handles_)));
  HEARSAY_CHECK_OK(to_result(db_->SyncWAL()));
  return mark_->sync();
}

Result<void> RocksStore::writable() const {
  if (read_only_) return Error{ErrorCode::kStoreFailed, "store: " + path_ + " is open for reading only"};
  if (failure_) return *failure_;
  return {};
}

std::optional<Error> RocksStore::failure() const {
  if (healthy_) return std::nullopt;
  const std::lock_guard lock(write_mutex_);
  return failure_;
}

Error RocksStore::fail(Error error) {
  failure_ = std::move(error);
  healthy_ = false;
  return *failure_;
}

Error RocksStore::damaged(Error error) {
  // A store that is known to be damaged takes nothing more.
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
  // The mark follows the commit and never leads it.
  if (written && mark_) written = mark_->write(totals.commits);
  if (written && mark_ && rotated_->exchange(false)) written = mark_->sync();
  if (written) {
    totals_ = totals;
    publish_statistics();
    return {};
  }
  // Whether the batch reached the disk is unknown, and after a failed sync the kernel may have dropped earlier pages,
  // too: what is really there shows at the next start.
  return fail(
      {ErrorCode::kStoreFailed, "a write failed, nothing is taken until a restart: " + written.error().message});
}

TaskState* RocksStore::find_task(const TaskId& id) {
  const auto task = tasks_.find(id);
  return task == tasks_.end() ? nullptr : &task->second;
}

void RocksStore::count_index(TaskState& state) {
  index_bytes_ += state.index.bytes() - state.counted;
  indexed_ += state.index.size() - state.indexed;
  state.counted = state.index.bytes();
  state.indexed = state.index.size();
}

Result<void> RocksStore::add_task(const Task& task) {
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  if (find_task(task.id()) != nullptr) return {};
  TaskRow row{{task, std::nullopt}, 0};
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kTasks), task_key(task.id()), task_value(row))));
  HEARSAY_CHECK_OK(commit(batch, {.live_tasks = 1}));
  const std::unique_lock tasks_lock(tasks_mutex_);
  tasks_.emplace(task.id(), TaskState{.row = std::move(row), .may_hold_sealed = false});
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
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kTasks), task_key(id), task_value(closed))));
  HEARSAY_CHECK_OK(commit(batch, {}));
  const std::unique_lock tasks_lock(tasks_mutex_);
  task->row = std::move(closed);
  return {};
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
  task->index.clear();
  count_index(*task);
  const std::unique_lock tasks_lock(tasks_mutex_);
  tasks_.erase(id);
  return {};
}

Result<std::vector<StoredTask>> RocksStore::tasks() const {
  const std::shared_lock lock(tasks_mutex_);
  std::vector<StoredTask> tasks;
  tasks.reserve(tasks_.size());
  for (const auto& [id, task] : tasks_) tasks.push_back(task.row.stored);
  return tasks;
}

Result<void> RocksStore::for_each_tally(const Task& task, WindowRange range,
                                        const std::function<Result<void>(UnixSeconds, tally::Tally)>& visit) const {
  if (range.from >= range.to) return {};
  const std::string end = tally_key(task.id(), range.to);
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator(options, family(kTallies)));
  for (entry->Seek(tally_key(task.id(), range.from)); entry->Valid(); entry->Next()) {
    HEARSAY_TRY(const WindowKey key, decode_window("tallies", view(entry->key())));
    const UnixSeconds window = key.window;
    auto tally = tally::Tally::decode(view(entry->value()));
    if (!tally) {
      return Error{ErrorCode::kStoreCorrupt, "store: the tally of task " + task.id().to_string() + ", window " +
                                                 std::to_string(window) + ": " + tally.error().message};
    }
    HEARSAY_CHECK_OK(visit(window, *std::move(tally)));
  }
  return to_result(entry->status());
}

Result<tally::Tally> RocksStore::tally(const Task& task, WindowRange range) const {
  tally::Tally total = tally::Tally::empty(task.channel());
  HEARSAY_CHECK_OK(for_each_tally(task, range, [&](UnixSeconds window, const tally::Tally& tally) -> Result<void> {
    auto merged = total.merge(tally);
    if (merged || merged.error().code == ErrorCode::kOverflow) return merged;
    return Error{ErrorCode::kStoreCorrupt, "store: the tally of task " + task.id().to_string() + ", window " +
                                               std::to_string(window) + " is not of the task's channel"};
  }));
  return total;
}

Result<std::vector<std::pair<UnixSeconds, tally::Tally>>> RocksStore::window_tallies(const Task& task) const {
  std::vector<std::pair<UnixSeconds, tally::Tally>> tallies;
  HEARSAY_CHECK_OK(for_each_tally(task, WindowRange{}, [&](UnixSeconds window, tally::Tally tally) -> Result<void> {
    tallies.emplace_back(window, std::move(tally));
    return {};
  }));
  return tallies;
}

Result<void> RocksStore::for_each_block(const Task& task,
                                        const std::function<Result<void>(const BlockKey&, BlockReader)>& visit) const {
  const std::string end = task_upper_bound(task.id());
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  options.fill_cache = false;  // one pass over everything must not push the ids' filters out
  const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator(options, family(kBlocks)));
  for (entry->Seek(task_key(task.id())); entry->Valid(); entry->Next()) {
    HEARSAY_TRY(const BlockKey key, BlockKey::decode(view(entry->key())));
    HEARSAY_TRY(const BlockReader block, BlockReader::create(key, view(entry->value())));
    HEARSAY_CHECK_OK(visit(key, block));
  }
  return to_result(entry->status());
}

Result<void> RocksStore::for_each_report(const Task& task,
                                         const std::function<Result<void>(const ReportView&)>& visit) const {
  return for_each_block(task, [&](const BlockKey&, BlockReader block) -> Result<void> {
    for (std::span<const std::uint8_t> content; !block.done();) {
      HEARSAY_TRY(const ReportView report, block.next(content));
      HEARSAY_CHECK_OK(visit(report));
    }
    return {};
  });
}

void RocksStore::publish_statistics() {
  const std::lock_guard lock(statistics_mutex_);
  statistics_.tasks = totals_.live_tasks;
  statistics_.reports = totals_.live_reports;
  statistics_.blocks = totals_.live_blocks;
  statistics_.commits = totals_.commits;
  statistics_.indexed_reports = indexed_;
  statistics_.index_bytes = index_bytes_;
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
  // A directory that cannot be listed has no size to tell; whether the store works is healthy()'s to say.
  if (env_->GetChildrenFileAttributes(path_, &files).ok()) {
    for (const auto& file : files) statistics.disk_bytes += file.size_bytes;
  }
  return statistics;
}

}  // namespace hearsay::store::rocks
