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

#include "aggregator/store/keys.h"
#include "aggregator/store/rocks_options.h"
#include "aggregator/store/store.h"

namespace hearsay::aggregator {

// All changes are serialised by one mutex. Reads take none of it: each looks at a consistent view that RocksDB keeps.
class RocksStore final : public Store {
 public:
  // `env` is RocksDB's access to files; tests make it fail.
  static Result<std::unique_ptr<RocksStore>> open(const RocksStoreOptions& options, rocksdb::Env* env);
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
  Result<Tally> tally(const Task& task, WindowRange range) const override;
  Result<std::vector<std::pair<UnixSeconds, Tally>>> window_tallies(const Task& task) const override;
  Result<void> for_each_report(const Task& task,
                               const std::function<Result<void>(const ReportView&)>& visit) const override;
  bool healthy() const override { return healthy_; }
  Result<void> snapshot(const std::string& path) const override;
  Result<BackupInfo> backup(const std::string& directory, std::uint32_t keep) const override;
  StoreStatistics statistics() const override;

 private:
  class Append;  // append.cc

  RocksStore(std::string path, bool read_only) : path_(std::move(path)), read_only_(read_only) {}

  // Opening, in this order (rocks_open.cc).
  Result<void> open_database(rocksdb::Env* env);
  rocksdb::Status try_open(rocksdb::Env* env, rocksdb::WALRecoveryMode recovery);
  Result<void> check_format();
  Result<void> check_totals();
  Result<void> load_tasks();

  // The following need write_mutex_.
  Result<void> writable() const;
  Error fail(Error error);
  // Writes and synchronises the batch, which takes `reports` reports. After a failure nothing is written any more.
  Result<void> commit(rocksdb::WriteBatch& batch, std::uint64_t reports);

  bool has_task(const TaskId& id) const;
  Result<void> for_each_tally(const Task& task, WindowRange range,
                              const std::function<Result<void>(UnixSeconds, Tally)>& visit) const;
  rocksdb::ColumnFamilyHandle* family(Family f) const { return handles_[f]; }

  const std::string path_;
  const bool read_only_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // owned, released before db_

  std::mutex write_mutex_;
  std::optional<Error> failure_;      // why nothing is written any more
  std::atomic<bool> healthy_ = true;  // whether there is none
  Totals totals_;

  mutable std::shared_mutex tasks_mutex_;  // taken after write_mutex_; changed under both
  std::map<TaskId, StoredTask> tasks_;
};

}  // namespace hearsay::aggregator
