// Clears up after deleted tasks and writers that are gone, some rows at a time.
#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/transactions.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

// After this time, inherit() and clear_removed() leave the rest to their next call. So the upkeep and a stop need not
// wait until all rows of a large task are gone.
constexpr std::chrono::milliseconds kMostTime{200};
// Limit on the time of one statement, in milliseconds. A statement may take long if it waits for a lock, or reads many
// dead rows that another program's long transaction keeps.
constexpr const char* kMostOfStatement = "2000";
// After a failure, clearing up pauses for kRest times the duration of the failed attempt, but for at most a minute.
// Sealing and folding go on in the pause.
constexpr int kRest = 20;
constexpr std::chrono::seconds kLongestRest{60};

constexpr Statement kRemoved{"removed", "SELECT number FROM hearsay.removed"};
// Checks every table, because a step that deletes nothing may have left rows: another process may have deleted the rows
// that the step chose.
constexpr Statement kForget{"forget_removed",
                            "DELETE FROM hearsay.removed WHERE number = $1::int4 "
                            "AND NOT EXISTS (SELECT FROM hearsay.ids WHERE task = $1::int4) "
                            "AND NOT EXISTS (SELECT FROM hearsay.blocks WHERE task = $1::int4) "
                            "AND NOT EXISTS (SELECT FROM hearsay.deltas WHERE task = $1::int4) "
                            "AND NOT EXISTS (SELECT FROM hearsay.tallies WHERE task = $1::int4) "
                            "AND NOT EXISTS (SELECT FROM hearsay.windows WHERE task = $1::int4)"};

// Each statement deletes at most some thousand rows of the task $1.
constexpr Statement kSteps[] = {
    {"remove_ids",
     "DELETE FROM hearsay.ids i USING (SELECT seal_day, window_start, id FROM hearsay.ids WHERE task = $1::int4 "
     "LIMIT 5000) AS few WHERE i.task = $1::int4 AND i.seal_day = few.seal_day "
     "AND i.window_start = few.window_start AND i.id = few.id"},
    {"remove_blocks",
     "DELETE FROM hearsay.blocks b USING (SELECT seal_day, window_start, writer, commit, part FROM hearsay.blocks "
     "WHERE task = $1::int4 LIMIT 2000) AS few WHERE b.task = $1::int4 AND b.seal_day = few.seal_day AND "
     "b.window_start = few.window_start AND b.writer = few.writer AND b.commit = few.commit AND b.part = few.part"},
    {"remove_deltas",
     "DELETE FROM hearsay.deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM hearsay.deltas WHERE task = $1::int4 "
     "LIMIT 5000))"},
    {"remove_tallies",
     "DELETE FROM hearsay.tallies WHERE ctid = ANY (ARRAY(SELECT ctid FROM hearsay.tallies WHERE task = $1::int4 "
     "LIMIT 5000))"},
    {"remove_windows",
     "DELETE FROM hearsay.windows WHERE ctid = ANY (ARRAY(SELECT ctid FROM hearsay.windows WHERE task = $1::int4 "
     "LIMIT 5000))"},
};

// Finds the 10,000th row of `windows` behind the row that $1, $2 and $3 name. Finds nothing if fewer rows follow.
constexpr Statement kNextWindows{"next_windows",
                                 "SELECT task, window_start, writer FROM hearsay.windows "
                                 "WHERE (task, window_start, writer) > ($1::int4, $2::int8, $3::int4) "
                                 "ORDER BY task, window_start, writer OFFSET 9999 LIMIT 1"};
// Moves counts of writers that are gone to writer 0, in the rows of `windows` behind the row ($1, $2, $3), up to the
// row ($4, $5, $6).
constexpr Statement kInherit{
    "inherit",
    "WITH gone AS (DELETE FROM hearsay.windows w WHERE (task, window_start, writer) > ($1::int4, $2::int8, $3::int4) "
    "AND (task, window_start, writer) <= ($4::int4, $5::int8, $6::int4) AND w.writer <> 0 AND NOT EXISTS "
    "(SELECT FROM hearsay.writers r WHERE r.number = w.writer) RETURNING task, window_start, reports, pairs, commits) "
    "INSERT INTO hearsay.windows (writer, task, window_start, reports, pairs, commits) "
    "SELECT 0, task, window_start, sum(reports), sum(pairs), sum(commits) FROM gone GROUP BY task, window_start "
    "ON CONFLICT (task, window_start, writer) DO UPDATE SET reports = windows.reports + excluded.reports, "
    "pairs = windows.pairs + excluded.pairs, commits = windows.commits + excluded.commits"};

constexpr WindowKey kBeforeAll{0, 0, 0};
constexpr WindowKey kBehindAll{std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int64_t>::max(),
                               std::numeric_limits<std::int32_t>::max()};

Parameters& add(Parameters& parameters, const WindowKey& key) {
  return parameters.int4(key.task).int8(key.start).int4(key.writer);
}

// Returns false if another process clears up.
Result<bool> begin_step(Connection& connection) {
  connection.send(kBegin);
  connection.send(kTimeout, Parameters().bytes(kMostOfStatement));
  connection.send(kTryMaintenance, Parameters().int4(kClearingLock));
  HEARSAY_TRY(const std::vector<Rows> begun, connection.finish());
  return begun[2].boolean(0, 0);
}

// Runs one statement of kSteps, or kForget. Returns true if there may be more rows to delete; nothing if another
// process clears up.
Result<std::optional<bool>> run_step(Connection& connection, const Statement& step, std::int32_t number) {
  HEARSAY_TRY(const bool alone, begin_step(connection));
  if (!alone) return std::optional<bool>();
  connection.send(step, Parameters().int4(number));
  connection.send(kCommit);
  HEARSAY_TRY(const std::vector<Rows> deleted, connection.finish());
  return std::optional(deleted[0].affected() != 0);
}

// Runs kInherit for the next rows of `windows`. Moves `behind` to the last of these rows, or unsets `behind` if no rows
// follow. Returns false, and does nothing, if another process clears up.
Result<bool> inherit_some(Connection& connection, std::optional<WindowKey>& behind) {
  HEARSAY_TRY(const bool alone, begin_step(connection));
  if (!alone) return false;
  Parameters range;
  HEARSAY_TRY(const Rows next, connection.run(kNextWindows, add(range, *behind)));
  std::optional<WindowKey> last;
  if (!next.empty()) {
    last = WindowKey{static_cast<std::int32_t>(next.int4(0, 0)), next.int8(0, 1),
                     static_cast<std::int32_t>(next.int4(0, 2))};
  }
  connection.send(kInherit, add(range, last.value_or(kBehindAll)));
  connection.send(kCommit);
  HEARSAY_CHECK_OK(connection.finish());
  behind = last;
  return true;
}

}  // namespace

Result<void> PostgresStore::clear_up(Connection& connection) {
  const std::unique_lock lock(clearing_mutex_, std::try_to_lock);
  if (!lock) return {};  // another thread clears up
  const auto begun = std::chrono::steady_clock::now();
  if (begun >= clearing_rests_until_) {
    const auto removed = clear_removed(connection);
    const auto inherited = inherit(connection);
    clearing_failure_.reset();
    if (!inherited) clearing_failure_ = inherited.error();
    if (!removed) clearing_failure_ = removed.error();
    const auto now = std::chrono::steady_clock::now();
    const auto rest = std::min<std::chrono::steady_clock::duration>((now - begun) * kRest, kLongestRest);
    if (clearing_failure_) clearing_rests_until_ = now + rest;
  }
  return clearing_failure_ ? *clearing_failure_ : Result<void>();
}

Result<void> PostgresStore::inherit(Connection& connection) {
  const auto until = std::chrono::steady_clock::now() + kMostTime;
  if (writers_gone_.exchange(false)) inherited_to_ = kBeforeAll;
  while (inherited_to_) {
    auto some = inherit_some(connection, inherited_to_);
    connection.roll_back();  // ends a transaction that is still open
    if (!some) return some.error();
    if (!*some || std::chrono::steady_clock::now() >= until) return {};
  }
  return {};
}

Result<void> PostgresStore::clear_removed(Connection& connection) {
  const auto until = std::chrono::steady_clock::now() + kMostTime;
  HEARSAY_TRY(const Rows removed, connection.run(kRemoved));
  for (std::size_t row = 0; row < removed.size(); ++row) {
    const auto number = static_cast<std::int32_t>(removed.int4(row, 0));
    for (const Statement& step : kSteps) {
      for (bool more = true; more;) {
        auto deleted = run_step(connection, step, number);
        connection.roll_back();  // ends a transaction that is still open
        if (!deleted) return deleted.error();
        if (!*deleted) return {};
        more = **deleted;
        // The time is checked only after a step that deleted rows. Otherwise each call might end at the same step.
        if (more && std::chrono::steady_clock::now() >= until) return {};
      }
    }
    auto forgotten = run_step(connection, kForget, number);
    connection.roll_back();
    if (!forgotten) return forgotten.error();
    if (std::chrono::steady_clock::now() >= until) return {};
  }
  return {};
}

}  // namespace hearsay::store::postgres
