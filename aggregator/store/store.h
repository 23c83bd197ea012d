// Stores tasks, reports and tallies durably.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "aggregator/tally/parts.h"
#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"
#include "common/report/report.h"
#include "hearsay/clock.h"
#include "hearsay/task.h"

namespace hearsay::store {

// One report to append. The caller has passed the payload to the channel's check().
struct Submission {
  const Task* task;
  ReportView report;
  std::span<const std::uint8_t> encoded;  // the only valid encoding of `report`; stored unchanged
};

enum class AppendOutcome : std::uint8_t {
  kAccepted,          // stored and counted
  kReplayed,          // the same bytes are already stored; counted once
  kConflict,          // other bytes are stored under this identity; nothing changed
  kUnrecognizedTask,  // the store does not have the task; nothing changed
  kTaskClosed,        // the task is closed; nothing changed
  kWindowFull,        // the window's tally is full (about 2^32 reports); nothing changed
  kTooManyPairs,      // the window has reached its limit of different (group, answer) pairs; nothing changed
  kTooManyWindows,    // the report would open a window beyond the limit of the task; nothing changed
  kExpired,           // the window is sealed and takes no reports; nothing changed
  // The database that keeps the report cannot be reached. To learn whether the report is stored, append the same bytes
  // again.
  kUnavailable,
};

struct StoredTask {
  Task task;
  std::optional<UnixSeconds> closed_at;  // when the task was closed; a closed task takes no reports
};

// The windows of a task that start at `from` or later and before `to`. By default the range has all windows. Other
// values must be multiples of the task's time_precision.
struct WindowRange {
  UnixSeconds from = 0;
  UnixSeconds to = ~UnixSeconds{0};
};

// The sealed windows of a task: their reports are deleted, and only the tallies are kept.
struct SealedWindows {
  UnixSeconds before = 0;  // windows that start before this time are sealed; 0 if no window is sealed
  // Start and number of deleted reports of each sealed window that had reports; starts ascend.
  std::vector<std::pair<UnixSeconds, std::uint64_t>> reports;
};

// The result of expire().
struct Expiry {
  std::uint64_t forgotten = 0;     // deleted reports; counted also after a failure
  std::optional<Error> failure{};  // why some of the work was not done
};

// What a task's tallies count, sealed windows included.
struct TaskCounts {
  std::uint64_t reports = 0;
  std::uint64_t windows = 0;
};

// A part of a window's tally. With the channel `laplace` a part is the whole tally. With the other channels a report is
// a pair (group, answer), where the group stands for the question asked, and a part counts some of the pairs. See
// tally::Parts.
struct TallyPart {
  UnixSeconds window = 0;
  tally::Tally tally;
};

// Reads a task's tallies part by part, as they were when the reader was made. The reader must not outlive the store.
class TallyReader {
 public:
  virtual ~TallyReader() = default;
  // Moves to the first part of `window` that does not begin below `from`. If `window` has no such part, moves to the
  // first part of the next window. A new reader stands at the task's first part.
  virtual void seek(UnixSeconds window, const tally::PartStart& from) = 0;
  // Returns the current part, and moves to the next part. After the last part, returns nothing. Windows ascend, and so
  // do the pairs within a window. Errors: kStoreCorrupt, kStoreFailed.
  virtual Result<std::optional<TallyPart>> next() = 0;
};

// One of the databases behind a shared store.
struct DatabaseState {
  std::string name;                   // for people: host and database, without user and password
  std::optional<Error> failure;       // why the database takes no reports; unset while it takes reports
  double silent_seconds = 0;          // time since the database answered last
  double statistics_age_seconds = 0;  // age of this database's figures in StoreStatistics
};

// Figures about the store for metrics.
struct StoreStatistics {
  std::uint64_t tasks = 0;
  std::uint64_t reports = 0;          // stored reports; reports of sealed windows are deleted
  std::uint64_t indexed_reports = 0;  // stored reports whose ids are in memory
  std::uint64_t index_bytes = 0;      // memory that the ids in memory take
  bool spilled = false;               // true if the ids of further reports are on the disk
  std::uint64_t blocks = 0;           // number of stored values; each holds some reports
  std::uint64_t commits = 0;          // number of commits since the store was made
  std::uint64_t disk_bytes = 0;       // approximate size of all files
  bool healthy = true;                // see Store::healthy()
  // For a shared store: one sentence for each database that did not take its last reports. The sentence says why.
  std::vector<std::string> unavailable{};
  std::vector<DatabaseState> databases{};  // the databases of a shared store
};

struct BackupInfo {
  std::uint32_t number = 0;  // 1 for the first backup; ascending
  UnixSeconds time = 0;      // when the backup was taken
  std::uint64_t bytes = 0;   // size of the backup's files, including files that other backups share
};

// Thread-safe. Calls of append() run one after another; other calls may run beside them.
//
// An *embedded* store (rocks/) belongs to one process. A *shared* store (postgres/, spread/) is one or several
// databases to which several processes append at the same time. Each process sees the changes of the others.
class Store {
 public:
  virtual ~Store() = default;

  // The task is durable when add_task() returns. Adding a task that exists is a success and changes nothing.
  virtual Result<void> add_task(const Task& task) = 0;
  // After close_task() has returned, no process takes a report of the task. Closing a closed task changes nothing.
  // Errors: kUnrecognizedTask.
  virtual Result<void> close_task(const TaskId& id, UnixSeconds at) = 0;
  // Removes the task with its reports and tallies, with one commit in each database, so that an append() there sees all
  // of them or nothing. Errors: kUnrecognizedTask.
  virtual Result<void> delete_task(const TaskId& id) = 0;
  virtual Result<std::vector<StoredTask>> tasks() const = 0;

  // Returns true if another process that shares the store may have added, closed or deleted a task since the last call.
  // May miss a change while the store cannot be reached. Cheap enough to be called every second. Only one thread may
  // call this function.
  virtual bool tasks_changed() = 0;

  // Appends all submissions together with their effect on the tallies, as one atomic, durable commit. Sets an outcome
  // for each submission, in the same order; `outcomes` must have the size of `submissions`. If a batch has several
  // reports of one identity, the later reports are replays of the first report, or conflict with it. Cheapest if
  // submissions of the same task and window follow each other.
  //
  // Identity: a report is identified by its task, window and id, so the same id in another window is another report.
  // The store compares two reports of one identity by digests of their bytes: by 64-bit digests keyed with a secret of
  // this process, or by 128-bit digests on the disk. So other bytes pass for a replay with a probability of about
  // 2^-64.
  //
  // Errors: kInvalidArgument (the sizes differ), kStoreFailed, kStoreCorrupt, and the error of the channel's check()
  // for a payload that fails this check. After an error nothing of the batch is acknowledged. After kStoreFailed the
  // batch may be stored, but only as a whole; the next start shows whether it is stored. After a failed write or
  // kStoreCorrupt an embedded store refuses all changes until it is opened again. A shared store goes on when the
  // database can be reached again, unless the database lost commits or shut this process out. A store over several
  // databases makes one commit in each database. If a database fails, its reports get the outcome kUnavailable.
  //
  // Cost: grows with the size of the batch, not with the contents of the windows.
  virtual Result<void> append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) = 0;

  // Seals every window for which Task::is_expired() holds at `now`: deletes the window's reports and their ids, and
  // keeps the window's tally. From then on append() refuses reports of the window with kExpired, even if the clock goes
  // back. Returns how many reports were deleted, also after a failure. Delays appends for short times only. A shared
  // store takes the earlier of `now` and the database's time. A shared store also deletes rows that deleted tasks and
  // ended processes left. Errors as append().
  virtual Expiry expire(UnixSeconds now) = 0;

  // Returns, in seconds, how far the sealed windows reach beyond the windows that expire(now) would seal. Returns 0 if
  // expire(now) would seal all sealed windows. A result above 0 shows that the clock is behind, or was ahead when the
  // windows were sealed.
  virtual std::uint64_t sealed_ahead(UnixSeconds now) const = 0;

  // Stores durably that the daemon trusted the machine's clock at this time. Errors as append().
  virtual Result<void> note_clock(UnixSeconds now) = 0;
  // Returns the time that note_clock() stored last, also in an earlier process; nothing if no time was stored.
  virtual std::optional<UnixSeconds> noted_clock() const = 0;

  // Call this every second. An embedded store fails here if its directory was moved, removed or replaced, because a
  // later start would not find the store's writes. append() checks the directory, too. A shared store connects again if
  // the connection was lost, compares the clocks, and folds: commits leave counts beside the tallies, and folding adds
  // these counts to the tallies. Errors: kStoreFailed; of a shared store also the codes of failure().
  virtual Result<void> check_directory() = 0;

  // Returns false once a write has failed: the store then accepts nothing until it is opened again. A shared store may
  // become healthy again; see check_directory().
  virtual bool healthy() const = 0;
  // Returns why the store is not healthy; nothing for a healthy store. The text is for the operator and may name files.
  // Codes of a shared store: kInUse (another process shut this process out for good), kStoreCorrupt (the database lost
  // acknowledged commits, and the store never recovers; or a row cannot be read, and the store recovers if the row is
  // mended), kClockUncertain (the clocks differ), kStoreFailed.
  virtual std::optional<Error> failure() const = 0;

  // Returns the sum of the tallies of the windows in the range; an empty tally if the range has no windows. Memory: at
  // most 48 bytes for each different pair of the sum, and a fixed amount for the windows being read. Errors:
  // kLimitExceeded (more pairs than the store may hold at a time), kOverflow, kStoreCorrupt, kStoreFailed, kCancelled
  // (`stop` was requested).
  virtual Result<tally::Tally> tally(const Task& task, WindowRange range, const std::stop_token& stop = {}) const = 0;
  virtual std::unique_ptr<TallyReader> read_tallies(const Task& task) const = 0;
  // Returns what the task's tallies count; zeros for a task that the store does not have. An embedded store has the
  // counts in memory. A shared store that a daemon opened returns the figures that its observer read last. For such a
  // store, sealed_ahead() and statistics() also return figures of the observer. These figures are some seconds old;
  // with millions of windows, some minutes. If the database cannot count its windows in time, the figures get older;
  // see statistics_age_seconds.
  virtual TaskCounts counts(const Task& task) const = 0;
  virtual Result<SealedWindows> sealed(const Task& task) const = 0;
  // Calls `visit` for every stored report of the task, by ascending windows, on one consistent view of each database.
  // Stops at the first error of `visit`, and returns this error.
  virtual Result<void> for_each_report(const Task& task,
                                       const std::function<Result<void>(const ReportView&)>& visit) const = 0;

  // Returns the ids of stored reports that a look-up by id does not find. If a client repeats one of these reports, the
  // store counts the report twice. Only damage to the store, or a report in another database than the map of a spread
  // store says, can make ids lost. Looks up every id that is not in memory. Nothing may be appended meanwhile.
  virtual Result<std::vector<ReportId>> lost_ids(const Task& task) const = 0;

  // Seals the task's windows that start before `before`; does nothing if these windows are sealed. For store::copy(),
  // because sealed windows of another store have tallies but no reports. Errors: kUnrecognizedTask, and as append().
  virtual Result<void> import_seal(const Task& task, UnixSeconds before) = 0;
  // Stores `tally` as the tally of this sealed window; the window's reports count as deleted. For store::copy().
  // Errors: as import_seal(), and kInvalidArgument (the window is not sealed or has stored reports; the tally is empty
  // or does not fit the task).
  virtual Result<void> import_tally(const Task& task, UnixSeconds window, const tally::Tally& tally) = 0;

  // Adds a backup of the whole store to the backups in `directory`. Makes `directory` if it is missing. append() may be
  // called meanwhile. The backup has everything that was appended before the call. Only files that the directory does
  // not hold yet are copied, with checksums. Then removes all but the `keep` newest backups (0: keeps all). Only one
  // backup() to a directory may run at a time. Errors: kStoreFailed, kStoreCorrupt, kUnsupported (a shared store),
  // kCancelled (`stop` was requested; the next backup() removes the unfinished backup).
  virtual Result<BackupInfo> backup(const std::string& directory, std::uint32_t keep = 0,
                                    const std::stop_token& stop = {}) const = 0;

  // Returns figures about the whole store. Cheap enough to be called every second.
  virtual StoreStatistics statistics() const = 0;
};

struct VerifyResult {
  std::uint64_t tasks = 0;
  std::uint64_t reports = 0;             // stored reports
  std::uint64_t sealed_reports = 0;      // deleted reports, of sealed windows
  std::vector<std::string> differences;  // one sentence for each difference; empty if there is none
};
// Recomputes every tally from the stored reports, and compares the result with the stored tally. For a sealed window,
// compares only the number of reports. Also looks for ids that a window has twice, and for lost ids (see lost_ids()).
// Nothing may be appended meanwhile. Reads the whole store. Memory: the tally of one window, and 16 bytes for each
// report of that window. Errors: kStoreCorrupt, kStoreFailed.
Result<VerifyResult> verify(const Store& store);

}  // namespace hearsay::store
