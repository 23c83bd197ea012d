// The embedded store, private to this folder and its tests.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <functional>
#include <iterator>
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
#include "aggregator/store/rocks/place.h"
#include "aggregator/store/rocks/rocks.h"
#include "aggregator/store/window_pairs.h"
#include "aggregator/tally/parts.h"
#include "aggregator/tally/tally.h"

namespace hearsay::store::rocks {

// The counts of a window's tally.
struct WindowCounts {
  std::uint64_t reports = 0;
  std::uint64_t pairs = 0;  // different pairs; may be too many, see must_look_up()
};

// The store's state of a task. To change the row, the windows and the counts, a thread needs write_mutex_ and
// tasks_mutex_. To read the row, the windows and the counts, either mutex is enough. All other members need
// write_mutex_.
struct TaskState {
  TaskState(TaskRow task_row, IndexUsage& usage)
      : row(std::move(task_row)), parts(row.stored.task.channel()), index(usage) {}

  TaskRow row;
  const tally::Parts parts;
  std::map<UnixSeconds, WindowCounts> windows;  // windows with a tally
  std::uint64_t open_windows = 0;               // windows with a tally that are not sealed
  std::uint64_t counted = 0;                    // reports in all windows

  void count_open_windows() {
    open_windows = static_cast<std::uint64_t>(std::distance(windows.lower_bound(row.sealed_before), windows.end()));
  }

  IdIndex index;
  std::uint64_t reports = 0;  // reports that are stored
  std::uint64_t blocks = 0;
};

// One mutex serialises all changes. Reads of RocksDB do not take this mutex: each read sees a consistent view.
class RocksStore final : public Store {
 public:
  // Opens the store. `env`, through which RocksDB accesses files, must outlive the store; tests make it fail. Tests
  // also lower `max_window_reports`.
  static Result<std::unique_ptr<RocksStore>> open(const Options& options, rocksdb::Env* env,
                                                  std::uint64_t max_window_reports = tally::Tally::kMaxReports);
  // Opens, for reading, the store in a backup or a store that was just restored from a backup. Such a store has no mark
  // (newest.h).
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
  bool tasks_changed() override { return false; }  // no other process writes
  Result<void> append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) override;
  Expiry expire(UnixSeconds now) override;
  Result<SealedWindows> sealed(const Task& task) const override;
  std::uint64_t sealed_ahead(UnixSeconds now) const override;
  Result<void> note_clock(UnixSeconds now) override;
  std::optional<UnixSeconds> noted_clock() const override;
  Result<tally::Tally> tally(const Task& task, WindowRange range,
                             const std::stop_token& stop = {}) const override;  // in tallies.cc
  std::unique_ptr<TallyReader> read_tallies(const Task& task) const override;   // in tallies.cc
  TaskCounts counts(const Task& task) const override;
  Result<void> for_each_report(const Task& task,
                               const std::function<Result<void>(const ReportView&)>& visit) const override;
  Result<std::vector<ReportId>> lost_ids(const Task& task) const override;  // in disk_ids.cc
  Result<void> import_seal(const Task& task, UnixSeconds before) override;  // this and import_tally(): in import.cc
  Result<void> import_tally(const Task& task, UnixSeconds window, const tally::Tally& tally) override;
  bool healthy() const override { return healthy_; }
  std::optional<Error> failure() const override;
  Result<void> check_directory() override;
  Result<BackupInfo> backup(const std::string& directory, std::uint32_t keep,
                            const std::stop_token& stop = {}) const override;
  StoreStatistics statistics() const override;

 private:
  class Append;      // in append.cc
  class Rebuild;     // in rebuild.cc
  class PartReader;  // in tallies.cc

  RocksStore(const Options& options, rocksdb::Env* env, std::uint64_t max_window_reports);

  // The following functions, up to rebuild(), open the store (open.cc, rebuild.cc).

  // Returns true if there is a complete store. db_ is then open for reading, and format and totals are known. A store
  // that was not completely made is an error, unless the mark says that the store was `being_made`.
  Result<bool> find_store(rocksdb::WALRecoveryMode mode, bool being_made);
  Result<bool> has_all_families(bool being_made) const;
  Result<void> open_database(bool read_only, rocksdb::WALRecoveryMode mode);
  void close_database();
  Result<std::optional<std::string>> read_meta(std::string_view key) const;
  // Returns true if the store names its format. Returns false if the store is `being_made` and has no entries yet.
  Result<bool> read_format(bool being_made);
  Result<void> check_totals();
  // Returns the error of a store in another format.
  Error other_format(const std::string& format) const;
  // Returns the error of a store that lacks something; names the files that may be damaged.
  Error lost_entries(const std::string& what) const;
  Result<void> check_newest(const std::optional<std::uint64_t>& newest) const;
  Result<void> open_for_writing(bool made);
  // Upgrades a store of kFormatBefore. Needs write_mutex_.
  Result<void> bring_up_to_date();
  // Reads the tasks and the blocks.
  Result<void> load();
  Result<void> load_tasks();
  Result<void> rebuild();

  // Leaves an empty log, and synchronises the mark.
  Result<void> stop_cleanly();
  // Returns kStoreFailed if path_ does not lead to the store that was opened.
  Result<void> is_in_place() const;

  // The following functions need write_mutex_.
  Result<void> writable() const;
  Error fail(Error error);
  // If the error is damage, the store fails: it takes no more reports.
  Error damaged(Error error);
  // Writes and synchronises the batch. `change` is the batch's change of the totals, without the commit itself. After a
  // failure nothing more is written.
  Result<void> commit(rocksdb::WriteBatch& batch, Totals change);
  TaskState* find_task(const TaskId& id);
  // Commits a new row of the task.
  Result<void> put_task(TaskState& state, TaskRow row);
  void publish_statistics();
  // Seals the task's windows that start before `before`. Defined in expire.cc.
  Result<void> seal(TaskState& state, UnixSeconds before);
  // Removes some blocks of sealed windows, beginning at the key `from`. Returns how many reports the blocks held. Sets
  // `from` to the last of these blocks, so that the next call need not step over deleted blocks.
  Result<std::uint64_t> forget_some(TaskState& state, std::string& from);
  // Seals the task's expired windows, and removes their reports. Takes the mutexes itself.
  Result<void> expire_task(const TaskId& id, UnixSeconds now, std::uint64_t& forgotten);
  // Frees the disk space of removed blocks. The caller need not hold a mutex.
  Result<void> drop_forgotten(const TaskId& id, UnixSeconds before);

  // Visits the entries of a family whose keys are at least `from` and below `to`, in order, on one consistent view. An
  // empty `to` means all keys from `from` on. A visit that returns false is the last visit.
  using VisitEntry = std::function<Result<bool>(std::string_view key, std::string_view value)>;
  Result<void> for_each_entry(Family f, const std::string& from, const std::string& to, const VisitEntry& visit) const;
  using VisitBlock = std::function<Result<bool>(const BlockKey& key, std::string_view value)>;
  Result<void> for_each_block(const std::string& from, const std::string& to, const VisitBlock& visit) const;
  // Returns those of `pairs` that the window's tally does not have. `pairs` must ascend. Defined in tallies.cc.
  Result<std::vector<Pair>> new_pairs(const TaskState& state, UnixSeconds window, const std::vector<Pair>& pairs) const;
  // Decodes the value of a row of `tallies`. Errors: kStoreCorrupt. Defined in tallies.cc.
  static Result<tally::Tally> decode_part(const tally::Parts& parts, const PartKey& part, std::string_view key,
                                          std::string_view value);
  // Adds a row of `ids` to the batch. `content` is what content_of() returns. put_disk_id() and find_disk_ids() are in
  // disk_ids.cc.
  Result<void> put_disk_id(rocksdb::WriteBatch& batch, const std::string& key,
                           std::span<const std::uint8_t> content) const;
  // Returns the value of each row; nothing for rows that are missing.
  Result<std::vector<std::optional<std::string>>> find_disk_ids(const std::vector<std::string>& keys) const;
  rocksdb::ColumnFamilyHandle* family(Family f) const { return handles_[f]; }

  const std::string path_;
  const bool read_only_;
  const std::size_t max_index_bytes_;
  const std::uint64_t max_window_reports_;
  const std::uint64_t max_window_pairs_;
  const std::uint64_t max_task_windows_;
  const std::uint64_t max_tally_pairs_;
  rocksdb::Env* const env_;
  // becomes true when RocksDB begins a new log
  std::shared_ptr<std::atomic<bool>> rotated_ = std::make_shared<std::atomic<bool>>(false);
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // owned, released before db_
  bool is_of_format_before_ = false;                   // true for a store that was found in kFormatBefore
  std::optional<NewestMark> mark_;                     // set once the store is open for writing
  Place place_;                                        // set together with mark_

  mutable std::mutex write_mutex_;
  std::optional<Error> failure_;      // why the store writes nothing; unset while the store works
  std::atomic<bool> healthy_ = true;  // true while there is no failure_
  Totals totals_;
  std::optional<UnixSeconds> noted_clock_;
  IdSecret secret_;
  // The ids of the blocks from this sequence number on are in the family `ids`; the ids of earlier blocks are in
  // memory. If unset, all ids are in memory.
  std::optional<std::uint64_t> ids_from_;
  IndexUsage index_usage_;  // of the id indexes of all tasks together

  mutable std::shared_mutex tasks_mutex_;  // locked after write_mutex_; changes of tasks_ need both mutexes
  std::map<TaskId, TaskState> tasks_;

  mutable std::mutex statistics_mutex_;  // locked after the other mutexes
  StoreStatistics statistics_;
};

}  // namespace hearsay::store::rocks
