// The shared store, private to this folder and its tests.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>

#include "aggregator/store/postgres/database.h"
#include "aggregator/store/postgres/listener.h"
#include "aggregator/store/postgres/observer.h"
#include "aggregator/store/postgres/postgres.h"
#include "aggregator/store/postgres/uri.h"
#include "aggregator/store/postgres/writer.h"
#include "aggregator/store/window_pairs.h"
#include "aggregator/tally/parts.h"

namespace hearsay::store::postgres {

// Returns the id as the column `id` of `tasks` holds it. `id` must outlive the view.
inline std::string_view bytes_of(const TaskId& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

// The part of a row of `tasks` that does not change.
struct KnownTask {
  explicit KnownTask(std::int32_t task_number, const Task& public_task)
      : number(task_number), task(public_task), parts(task.channel()) {}

  const std::int32_t number;
  const Task task;
  const tally::Parts parts;
};

// A task. The task's windows that start before `before` are sealed.
struct SealedTask {
  std::shared_ptr<const KnownTask> task;
  UnixSeconds before;
};

// The key of a row of `windows`.
struct WindowKey {
  std::int32_t task;
  std::int64_t start;
  std::int32_t writer;
};

struct Observation {
  StoreStatistics statistics;
  std::vector<SealedTask> tasks;              // ascending by number
  std::map<std::int64_t, TaskCounts> counts;  // by the task's number; tasks without windows are missing
  // The time when `counts` and `statistics` (except the number of tasks) were read; unset if they were never read. If a
  // new read takes too long, the old figures stay.
  std::optional<std::chrono::steady_clock::time_point> counted;
};

// Appends run one after the other, over the writer's connection. Most other calls lease connections.
class PostgresStore final : public Store {
 public:
  // If several daemons append to a window at the same time, the window may exceed this bound by their reports. The
  // tally must have room for these reports.
  static constexpr std::uint64_t kMostReports = tally::Tally::kMaxReports - (std::uint64_t{1} << 24U);
  // Opens the store. Tests set a lower `max_window_reports`.
  static Result<std::unique_ptr<PostgresStore>> open(const Options& options, Clock& clock,
                                                     std::uint64_t max_window_reports = kMostReports);
  ~PostgresStore() override;
  PostgresStore(const PostgresStore&) = delete;
  PostgresStore& operator=(const PostgresStore&) = delete;

  Result<void> add_task(const Task& task) override;
  Result<void> close_task(const TaskId& id, UnixSeconds at) override;
  Result<void> delete_task(const TaskId& id) override;
  Result<std::vector<StoredTask>> tasks() const override;
  bool tasks_changed() override { return healthy_ && listener_ && listener_->changed(); }
  Result<void> append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) override;
  Expiry expire(UnixSeconds now) override;  // in sealing.cc
  Result<SealedWindows> sealed(const Task& task) const override;
  std::uint64_t sealed_ahead(UnixSeconds now) const override;  // in observation.cc
  Result<void> note_clock(UnixSeconds now) override;
  std::optional<UnixSeconds> noted_clock() const override;
  Result<tally::Tally> tally(const Task& task, WindowRange range,
                             const std::stop_token& stop = {}) const override;  // in tallies.cc
  std::unique_ptr<TallyReader> read_tallies(const Task& task) const override;   // in tallies.cc
  TaskCounts counts(const Task& task) const override;                           // in observation.cc
  Result<void> for_each_report(const Task& task,
                               const std::function<Result<void>(const ReportView&)>& visit) const override;
  Result<std::vector<ReportId>> lost_ids(const Task& task) const override;
  Result<void> import_seal(const Task& task, UnixSeconds before) override;  // this and import_tally(): in import.cc
  Result<void> import_tally(const Task& task, UnixSeconds window, const tally::Tally& tally) override;
  bool healthy() const override { return healthy_ && !silent(); }
  std::optional<Error> failure() const override;  // in observation.cc
  Result<void> check_directory() override;
  Result<BackupInfo> backup(const std::string& directory, std::uint32_t keep,
                            const std::stop_token& stop = {}) const override;
  StoreStatistics statistics() const override;  // in observation.cc

 private:
  class Append;      // in append.cc
  class PartReader;  // in tallies.cc

  PostgresStore(const Options& options, std::uint64_t max_window_reports)
      : options_(options), name_(database_name(options.uri)), max_window_reports_(max_window_reports) {}

  // Returns the task; nothing if the store does not have the task. Asks the database only if the task is not in known_.
  Result<std::shared_ptr<const KnownTask>> find_task(Connection& connection, const TaskId& id) const;
  // Does the same as find_task(), but also asks the database whether a known task still has its number.
  Result<std::shared_ptr<const KnownTask>> present_task(Connection& connection, const TaskId& id) const;
  void forget_task(const TaskId& id) const;
  Result<void> writable() const;
  // Connects again if the connection was lost, compares the clocks, folds, and clears up.
  Result<void> keep_up();
  // Changes the task's row under the task's exclusive lock. $1 of `change` is the task's number, $2 is `at`.
  Result<void> change_task(const TaskId& id, const Statement& change, std::optional<UnixSeconds> at);
  // Calls clear_removed() and inherit(), each for a fraction of a second. After a failure, does nothing for a while,
  // and returns the same error. clear_up(), clear_removed() and inherit() are in removal.cc.
  Result<void> clear_up(Connection& connection);
  // Deletes rows of deleted tasks.
  Result<void> clear_removed(Connection& connection);
  // Moves the counts of writers that are gone to writer 0.
  Result<void> inherit(Connection& connection);
  // Makes the partitions for those of `days` that are not in days_.
  Result<void> prepare_days(Connection& connection, const std::set<std::int32_t>& days);
  // Seals windows, drops partitions, folds, and clears up. Adds the number of forgotten reports to `forgotten`, also
  // before an error. The functions from expire() to drop_tables() are in sealing.cc.
  Result<void> expire(UnixSeconds now, std::uint64_t& forgotten);
  // Returns all tasks, ascending by number.
  Result<std::vector<SealedTask>> sealed_tasks(Connection& connection) const;
  // Seals the task's expired windows. Returns how many reports these windows had.
  Result<std::uint64_t> seal(Connection& connection, const KnownTask& task, UnixSeconds now);
  // Drops the partitions of days that are over. Does nothing if there is a task whose number is not in `sealed`.
  Result<void> drop_days(Connection& connection, UnixSeconds now, const std::vector<std::int32_t>& sealed);
  static Result<void> drop_tables(Connection& connection, const std::string& tables,
                                  const std::vector<std::int32_t>& sealed);
  // Adds the rows of `deltas` to `tallies`, unless another daemon is folding. Defined in fold.cc.
  Result<void> fold(Connection& connection);
  // Folds some rows of `deltas`. Returns false if there is nothing more to fold, or another daemon is folding.
  Result<bool> fold_some(Connection& connection, const KnownTask& task);
  // Returns those of `pairs` that the window's tally does not have. `pairs` must ascend. Defined in pairs.cc.
  Result<std::vector<Pair>> new_pairs(Connection& connection, const KnownTask& task, UnixSeconds window,
                                      const std::vector<Pair>& pairs) const;
  // Begins a transaction that reads figures. For an observer, a statement may take at most half of
  // Options::max_silence, so that a slow statement does not look like a database that does not answer. begin_look(),
  // observe_tasks() and count() call `heard` whenever the database has answered. The functions from begin_look() to
  // silent() are in observation.cc.
  Result<Database::Lease> begin_look(const std::function<void()>& heard) const;
  // Returns `last` with the tasks as they are in the database at present.
  Result<std::shared_ptr<const Observation>> observe_tasks(
      const Observation& last, const std::function<void()>& heard = [] {}) const;
  // Returns the tasks of `last`, with the counts as they are in the database at present.
  Result<std::shared_ptr<const Observation>> count(
      const Observation& last, const std::function<void()>& heard = [] {}) const;
  Result<void> start_observer();
  // Returns what the observer read last. Without an observer, reads the database; returns an empty observation if that
  // fails.
  std::shared_ptr<const Observation> observed() const;
  // Returns true if the database has not answered the observer for longer than Options::max_silence.
  bool silent() const;
  // The kinds of work that can fail: a batch of reports, or the upkeep. A batch may succeed although the upkeep failed,
  // for example while it folded.
  enum class Work : std::uint8_t { kAppend, kUpkeep };
  // Notes whether work of the kind `work` failed. A failed batch counts as a failure until another batch succeeds, or
  // until the upkeep succeeds after a wait. The wait doubles with each batch that fails in a row, up to half a minute.
  // On a full disk small changes may still succeed. Because of the wait, the daemon does not become ready again each
  // second.
  void note(Work work, const std::optional<Error>& failure);

  const Options options_;
  const std::string name_;  // for people; see database_name()
  const std::uint64_t max_window_reports_;
  std::unique_ptr<Database> database_;
  std::optional<Listener> listener_;  // unset in a store for reading

  mutable std::mutex append_mutex_;  // guards writer_ and days_
  std::optional<Writer> writer_;     // unset in a store for reading
  std::set<std::int32_t> days_;      // days whose partitions exist

  mutable std::mutex failure_mutex_;
  std::optional<Error> append_failure_;
  std::chrono::steady_clock::time_point append_failure_until_;  // before then, the upkeep keeps append_failure_
  std::atomic<int> appends_failed_ = 0;                         // how many of the latest batches failed in a row
  std::optional<Error> upkeep_failure_;
  std::atomic<bool> healthy_ = true;  // true if neither failure is set

  std::mutex clearing_mutex_;              // guards the next three members
  std::optional<WindowKey> inherited_to_;  // inherit() has reached this row of `windows`; unset when done
  std::optional<Error> clearing_failure_;  // the error of the last attempt to clear up
  std::chrono::steady_clock::time_point clearing_rests_until_;
  std::atomic<bool> writers_gone_ = true;  // true if writers may have gone since inherit() last began

  std::optional<Observer> observer_;  // set if Options::observes is true

  mutable std::mutex tasks_mutex_;
  mutable std::map<TaskId, std::shared_ptr<const KnownTask>> known_;
};

}  // namespace hearsay::store::postgres
