// Deletes the rows that deleted tasks leave, some at a time.
#include <chrono>
#include <optional>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/transactions.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

// About the longest time of one call. So the upkeep and a stop need not wait until all rows of a large task are gone.
constexpr std::chrono::milliseconds kMostTime{200};

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

// Runs one step. Returns true if there may be more rows; nothing if another process is deleting rows.
Result<std::optional<bool>> run_step(Connection& connection, const Statement& step, std::int32_t number) {
  connection.send(kBegin);
  connection.send(kTryMaintenance, Parameters().int4(kRemovalLock));
  HEARSAY_TRY(const std::vector<Rows> begun, connection.finish());
  if (!begun[1].boolean(0, 0)) return std::optional<bool>();
  connection.send(step, Parameters().int4(number));
  connection.send(kCommit);
  HEARSAY_TRY(const std::vector<Rows> deleted, connection.finish());
  return std::optional(deleted[0].affected() != 0);
}

}  // namespace

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
    HEARSAY_TRY(const Rows done, connection.run(kForget, Parameters().int4(number)));
    if (std::chrono::steady_clock::now() >= until) return {};
  }
  return {};
}

}  // namespace hearsay::store::postgres
