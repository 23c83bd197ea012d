// The embedded store, private to this folder and its tests.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/id_index.h"
#include "aggregator/store/rocks/id_secret.h"
#include "aggregator/store/rocks/keys.h"
#include "aggregator/store/rocks/newest.h"
#include "aggregator/store/rocks/options.h"
#include "aggregator/store/rocks/rocks.h"
#include "aggregator/tally/tally.h"

namespace hearsay::store::rocks {

// What the store knows about a task. The row is changed under both mutexes of the store, the rest belongs to
// write_mutex_.
struct TaskState {
  TaskRow row;
  IdIndex index{};
  IdIndex fresh{};            // ids of the commit being made that go to the disk; empty between commits
  std::size_t counted = 0;    // bytes of `index` in the store's sum
  std::size_t indexed = 0;    // ids of `index` in the store's sum
  std::uint64_t reports = 0;  // live
  std::uint64_t blocks = 0;
  bool may_hold_sealed = true;  // whether there may be blocks of sealed windows, to be forgotten
  std::string forgotten_to{};   // key of the last block forgotten; none is left before it, and none comes back
};

// All changes are serialised by one mutex. Reads take none of it: each looks at a consistent view that RocksDB keeps.
class RocksStore final : public Store {
 public:
  // `env` is RocksDB's access to files, which must outlive the store; tests make it fail. `max_window_reports`: tests
  // lower it.
  static Result<std::unique_ptr<RocksStore>> open(const Options& options, rocksdb::Env* env,
                                                  std::uint64_t max_window_reports = tally::Tally::kMaxReports);
  // The store in a backup, or as a backup was just restored: for reading, and without a mark.
  static Result<std::unique_ptr<RocksStore>> open_backup(const std::string& path, rocksdb::Env* env);
  // See rocks::repair().
  static Result<RepairResult> repair(const std::string& path, rocksdb::Env* env, bool drop_damaged_tail);
  ~RocksStore() override;
  RocksStore(const RocksStore&) = delete;
  RocksStore& operator=(const RocksStore&) = delete;

  Result<void> add_task(const Task& task) override;
  Result<void> close_task(const TaskId& id, UnixSeconds at) override;
  Result<void> delete_task(const TaskId& id) override;
  Result<std::vector<StoredTask>> tasks() const override;
  Result<void> append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) override;
  Result<std::uint64_t> expire(UnixSeconds now) override;
  Result<SealedWindows> sealed(const Task& task) const override;
  Result<tally::Tally> tally(const Task& task, WindowRange range) const override;
  Result<std::vector<std::pair<UnixSeconds, tally::Tally>>> window_tallies(const Task& task) const override;
  Result<void> for_each_report(const Task& task,
                               const std::function<Result<void>(const ReportView&)>& visit) const override;
  Result<std::vector<ReportId>> lost_ids(const Task& task) const override;  // disk_ids.cc
  bool healthy() const override { return healthy_; }
  std::optional<Error> failure() const override;
  Result<BackupInfo> backup(const std::string& directory, std::uint32_t keep) const override;
  StoreStatistics statistics() const override;

 private:
  class Append;   // append.h
  class Rebuild;  // rebuild.cc

  RocksStore(const Options& options, rocksdb::Env* env, std::uint64_t max_window_reports);

  // Opening, in this order (rocks_open.cc, rebuild.cc).
  // Whether there is a store that was completely made: if so, db_ is open for reading, and format and totals are read.
  Result<bool> find_store(rocksdb::WALRecoveryMode mode);
  Result<bool> has_all_families() const;
  std::string newest_manifest() const;
  Result<void> open_database(bool read_only, rocksdb::WALRecoveryMode mode);
  void close_database();
  // Whether the store says its format; if not, it has no entries.
  Result<bool> read_format();
  Result<void> check_totals();
  Result<void> check_newest(const std::optional<std::uint64_t>& newest) const;
  Result<void> open_for_writing(bool made);
  Result<void> load_tasks();
  Result<void> rebuild();

  // Leaves an empty log, and the mark on the disk.
  Result<void> stop_cleanly();

  // The following need write_mutex_.
  Result<void> writable() const;
  Error fail(Error error);
  // Fails the store if the error is damage.
  Error damaged(Error error);
  // Writes and synchronises the batch, which changes the totals by `change` and one commit. After a failure nothing is
  // written any more.
  Result<void> commit(rocksdb::WriteBatch& batch, Totals change);
  TaskState* find_task(const TaskId& id);
  void count_index(TaskState& state);
  void publish_statistics();
  // expire.cc
  Result<void> seal(TaskState& state, UnixSeconds before);
  // Forgets some blocks of sealed windows and returns how many reports they held; clears may_hold_sealed at the end.
  Result<std::uint64_t> forget_some(const TaskId& id);
  // Takes the bytes of forgotten blocks off the disk, as far as whole files hold nothing else. Needs no mutex.
  Result<void> drop_forgotten(const TaskId& id, UnixSeconds before);

  Result<void> for_each_tally(const Task& task, WindowRange range,
                              const std::function<Result<void>(UnixSeconds, tally::Tally)>& visit) const;
  Result<void> for_each_block(const Task& task,
                              const std::function<Result<void>(const BlockKey&, BlockReader)>& visit) const;
  // Adds a row of `ids` to the batch; `content` as of content_of(). disk_ids.cc, as is the next.
  Result<void> put_disk_id(rocksdb::WriteBatch& batch, const IdKey& key, std::span<const std::uint8_t> content) const;
  // The value of each row; nothing where there is none.
  Result<std::vector<std::optional<DiskDigest>>> find_disk_ids(std::span<const IdKey> keys) const;
  rocksdb::ColumnFamilyHandle* family(Family f) const { return handles_[f]; }

  const std::string path_;
  const bool read_only_;
  const std::size_t max_index_bytes_;
  const std::uint64_t max_window_reports_;
  rocksdb::Env* const env_;
  std::string format_;
  std::shared_ptr<std::atomic<bool>> rotated_ = std::make_shared<std::atomic<bool>>(false);  // RocksDB began a new log
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // owned, released before db_
  std::optional<NewestMark> mark_;                     // once the store is open for writing

  mutable std::mutex write_mutex_;
  std::optional<Error> failure_;      // why nothing is written any more
  std::atomic<bool> healthy_ = true;  // whether there is none
  Totals totals_;
  IdSecret secret_;
  // Ids of blocks from this sequence number on lie in the family `ids`, those before in memory. Nothing: all in memory.
  std::optional<std::uint64_t> ids_from_;
  std::size_t index_bytes_ = 0;
  std::size_t indexed_ = 0;
  std::unique_ptr<Append> append_;  // its memory is used again by every append

  mutable std::shared_mutex tasks_mutex_;  // taken after write_mutex_; changed under both
  std::map<TaskId, TaskState> tasks_;

  mutable std::mutex statistics_mutex_;  // taken after the others
  StoreStatistics statistics_;
};

}  // namespace hearsay::store::rocks
