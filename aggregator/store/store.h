// Durable storage of tasks, reports and tallies.
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

// One report to append. The payload has passed the channel's check().
struct Submission {
  const Task* task;
  ReportView report;
  std::span<const std::uint8_t> encoded;  // the report's one valid encoding, which is stored as it is
};

enum class AppendOutcome : std::uint8_t {
  kAccepted,          // stored and counted
  kReplayed,          // the same bytes are already stored; counted once
  kConflict,          // the id is taken by other bytes; nothing changed
  kUnrecognizedTask,  // the task is not, or no longer, in the store; nothing changed
  kTaskClosed,        // the task is closed; nothing changed
  kWindowFull,        // the window's tally holds as many reports as it can (2^32); nothing changed
  kTooManyPairs,      // the window holds as many different (group, answer) pairs as it may; nothing changed
  kTooManyWindows,    // the report would open a window, and the task has as many as it may; nothing changed
  kExpired,           // the window is sealed: its reports and their ids are forgotten; nothing changed, and never will
  kUnavailable,       // the part of the store that keeps the report cannot be asked now; whether the report is stored
                      // shows when the same bytes are appended again
};

struct StoredTask {
  Task task;
  std::optional<UnixSeconds> closed_at;  // no reports are accepted from then on
};

// Reports and their time window, half-open [from, to), both multiples of the task's time_precision.
struct WindowRange {
  UnixSeconds from = 0;
  UnixSeconds to = ~UnixSeconds{0};
};

// The windows of a task whose reports are forgotten.
struct SealedWindows {
  UnixSeconds before = 0;                                      // all that start before this; 0: none
  std::vector<std::pair<UnixSeconds, std::uint64_t>> reports;  // how many each had, ascending; those without left out
};

// What expire() did.
struct Expiry {
  std::uint64_t forgotten = 0;     // reports, whether or not everything else could be done
  std::optional<Error> failure{};  // why not everything could be done
};

// What a task's tallies count, sealed windows included.
struct TaskCounts {
  std::uint64_t reports = 0;
  std::uint64_t windows = 0;
};

// Some of the counts of a window: the whole tally of `laplace`, some pairs of `sampled`.
struct TallyPart {
  UnixSeconds window = 0;
  tally::Tally tally;
};

// Reads a task's tallies part by part, on the view of the moment at which the reader was made. Memory: one part, which
// has at most tally::Parts::kMostPairs pairs. Must not outlive the store.
class TallyReader {
 public:
  virtual ~TallyReader() = default;
  // Goes to the first part from `window` on that is not below `from`, or in a later window. A new reader is at the
  // first part of all.
  virtual void seek(UnixSeconds window, const tally::PartStart& from) = 0;
  // The part at hand, and goes on; nothing behind the last. Windows ascend, and within a window the pairs. Errors:
  // kStoreCorrupt, kStoreFailed.
  virtual Result<std::optional<TallyPart>> next() = 0;
};

// One of the databases behind a shared store.
struct DatabaseState {
  std::string name;                   // for people: host and database, without user and password
  std::optional<Error> failure;       // why it takes nothing
  double silent_seconds = 0;          // since it answered last
  double statistics_age_seconds = 0;  // of what StoreStatistics counts in it; infinite: it was never counted
};

// For metrics: what the store holds now.
struct StoreStatistics {
  std::uint64_t tasks = 0;
  std::uint64_t reports = 0;          // stored one by one, that is, not of sealed windows
  std::uint64_t indexed_reports = 0;  // those of them whose ids lie in memory
  std::uint64_t index_bytes = 0;      // memory of those
  bool spilled = false;               // the ids of further reports lie on the disk, see max_index_bytes
  std::uint64_t blocks = 0;           // values that hold reports
  std::uint64_t commits = 0;          // since the store was made
  std::uint64_t disk_bytes = 0;       // tables, blobs and logs, about
  bool healthy = true;                // see Store::healthy()
  // Why databases of a shared store did not take their last reports, a sentence each.
  std::vector<std::string> unavailable{};
  std::vector<DatabaseState> databases{};  // of a shared store
};

struct BackupInfo {
  std::uint32_t number = 0;  // ascending from 1
  UnixSeconds time = 0;      // when it was taken
  std::uint64_t bytes = 0;   // of its files, including those it shares with others
};

// Thread-safe. One append() runs at a time; everything else may run beside it.
//
// An *embedded* store (rocks/) belongs to one process. A *shared* store (postgres/) is a database that several
// processes append to at a time: what one of them changed, the others see at their next call.
class Store {
 public:
  virtual ~Store() = default;

  // Durable when it returns. Adding a task that exists is a success and changes nothing.
  virtual Result<void> add_task(const Task& task) = 0;
  // When the call returns, no process takes a report of the task any more. Errors: kUnrecognizedTask. Closing twice
  // keeps the first time.
  virtual Result<void> close_task(const TaskId& id, UnixSeconds at) = 0;
  // Removes the task, its reports and its tallies, in one commit before or after any append(). Errors:
  // kUnrecognizedTask.
  virtual Result<void> delete_task(const TaskId& id) = 0;
  virtual Result<std::vector<StoredTask>> tasks() const = 0;

  // Returns true if another process that shares the store may have added, closed or deleted a task since the last call.
  // Cheap enough to be asked every second, by one thread. A hint, which may be missed while the store cannot be
  // reached.
  virtual bool tasks_changed() = 0;

  // Appends all submissions as one atomic, durable commit together with their effect on the tallies, and sets one
  // outcome each, in order. Duplicates within the batch count as replays of (or conflicts with) the first. `outcomes`
  // has the size of `submissions`. Cheapest where submissions of one task, and of one window, follow each other.
  // A report is identified by its task, window and id: the same id in another window is another report. The store
  // compares reports of one identity by digests of their bytes: 64-bit digests keyed with a secret of this process, or
  // 128-bit digests on the disk. Other bytes pass for a replay with probability 2^-64. Errors: kInvalidArgument (sizes
  // differ), kStoreFailed, and then nothing of the batch is acknowledged: it is stored whole or not at all, as the next
  // start shows. After a failed write, or kStoreCorrupt, every later change of an embedded store fails too until it is
  // opened anew. A shared store goes on when the database can be reached again, unless the database lost commits or
  // shut this process out. A store over several databases makes one commit in each; a database that fails gives its
  // reports the outcome kUnavailable. A payload that does not pass the channel's check() fails the batch with that
  // error, and nothing changes. Cost: that of the batch, whatever its windows hold.
  virtual Result<void> append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) = 0;

  // Seals every window that Task::is_expired() at `now`: forgets its reports and their ids, keeps its tally, and from
  // then on refuses its reports with kExpired, also should the clock go back. Says also after a failure how many
  // reports it forgot. May run beside everything; holds up appends for short times. A shared store seals by the earlier
  // of `now` and the database's time, and clears up after tasks and processes that are gone. Errors as append().
  virtual Expiry expire(UnixSeconds now) = 0;

  // How many seconds the windows sealed so far lie ahead of those that expire(now) would seal; 0 if they do not. More
  // than 0 shows that the clock is behind, or was ahead when they were sealed.
  virtual std::uint64_t sealed_ahead(UnixSeconds now) const = 0;

  // Remembers, durably, that the machine's clock was trusted at this time. Errors as append().
  virtual Result<void> note_clock(UnixSeconds now) = 0;
  // The last such time, also of an earlier process; nothing if there was none.
  virtual std::optional<UnixSeconds> noted_clock() const = 0;

  // Fails the store if what it writes would not be found again, because its directory was moved, removed or replaced.
  // append() looks, too. A shared store connects again if the way to the database was lost, compares the clocks
  // (kClockUncertain), and folds: adds what commits left beside the tallies to the tallies. Cheap enough to be asked
  // every second. Errors: kStoreFailed.
  virtual Result<void> check_directory() = 0;

  // False once an append has failed: nothing is accepted until the store is opened again. A shared store may become
  // healthy again, see check_directory().
  virtual bool healthy() const = 0;
  // What failed then, for the operator: it may name files. Codes of a shared store: kInUse (another process shut this
  // one out for good), kStoreCorrupt (the database lost acknowledged commits: for good, too), kClockUncertain,
  // kStoreFailed.
  virtual std::optional<Error> failure() const = 0;

  // The sum of the tallies of the windows in the range, an empty tally if there are none. Memory: at most 48 bytes for
  // each different pair of the sum, beside a bound. Errors: kLimitExceeded (more pairs than the store may hold at a
  // time), kOverflow, kStoreCorrupt, kStoreFailed, kCancelled (`stop` was requested, which ends the call within
  // milliseconds).
  virtual Result<tally::Tally> tally(const Task& task, WindowRange range, const std::stop_token& stop = {}) const = 0;
  virtual std::unique_ptr<TallyReader> read_tallies(const Task& task) const = 0;
  // An embedded store reads nothing for it. A task that is not there has none. A shared store for a daemon tells what
  // it saw last, and so do sealed_ahead() and statistics(): some seconds ago, or some minutes with millions of windows.
  // If the database cannot count its windows in time, older counts stay, or none; see statistics_age_seconds.
  virtual TaskCounts counts(const Task& task) const = 0;
  virtual Result<SealedWindows> sealed(const Task& task) const = 0;
  // Calls `visit` for every stored report of the task, by ascending windows, on one consistent view.
  // Stops at the first error `visit` returns, and returns it.
  virtual Result<void> for_each_report(const Task& task,
                                       const std::function<Result<void>(const ReportView&)>& visit) const = 0;

  // The task's reports whose ids the store would not find again, so that a copy would count twice. Only damage makes
  // them. Looks every id up that is not in memory. Nothing may be appended meanwhile.
  virtual Result<std::vector<ReportId>> lost_ids(const Task& task) const = 0;

  // For a copy of another store, whose sealed windows have no reports any more. Seals the task's windows before
  // `before`, unless more are sealed. Errors: kUnrecognizedTask, and as append().
  virtual Result<void> import_seal(const Task& task, UnixSeconds before) = 0;
  // The same: from now on `tally` is the tally of this window, and its reports are forgotten ones. Errors: also
  // kInvalidArgument (the window is not sealed, or has stored reports; the tally counts none, or is not the task's).
  virtual Result<void> import_tally(const Task& task, UnixSeconds window, const tally::Tally& tally) = 0;

  // Adds a backup of the whole store to those in `directory`, which is made if absent, beside appends; only files that
  // it does not hold yet are copied, with checksums. Then removes all but the `keep` newest (0: keeps all). What was
  // appended before the call is in it. One backup() of a directory at a time. Errors: kStoreFailed, kStoreCorrupt,
  // kCancelled (`stop` was requested; the next backup() clears away what there is of this one).
  virtual Result<BackupInfo> backup(const std::string& directory, std::uint32_t keep = 0,
                                    const std::stop_token& stop = {}) const = 0;

  // Cheap enough to be asked every second.
  virtual StoreStatistics statistics() const = 0;
};

struct VerifyResult {
  std::uint64_t tasks = 0;
  std::uint64_t reports = 0;             // that are there
  std::uint64_t sealed_reports = 0;      // that were there, in windows of which only the tallies are left
  std::vector<std::string> differences;  // one sentence each; empty if all is right
};
// Recomputes every tally from the stored reports, or from the counts of sealed windows, and compares; looks for ids
// that a window has twice, or that are lost. Nothing may be appended meanwhile. Reads the whole store; memory for the
// tally of one window and one 16-byte id per report of a window. Errors: kStoreCorrupt, kStoreFailed.
Result<VerifyResult> verify(const Store& store);

}  // namespace hearsay::store
