// Seals windows by the earlier of two clocks, and drops the partitions of days that are over.
#include "aggregator/store/sealing.h"

#include <algorithm>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/seal_day.h"
#include "aggregator/store/postgres/snapshot.h"
#include "aggregator/store/postgres/transactions.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr Statement kTasksToSeal{"tasks_to_seal",
                                 "SELECT number, id, sealed_before FROM hearsay.tasks ORDER BY number"};
constexpr Statement kSeal{"seal",
                          "UPDATE hearsay.tasks SET sealed_before = greatest(sealed_before, $2::int8) "
                          "WHERE number = $1::int4"};
constexpr Statement kForgotten{"forgotten",
                               "SELECT coalesce(sum(w.reports), 0)::int8 FROM hearsay.windows w JOIN hearsay.tasks t "
                               "ON t.number = w.task WHERE t.number = $1::int4 AND w.window_start >= t.sealed_before "
                               "AND w.window_start < $2::int8"};
constexpr Statement kSealed{"sealed",
                            "SELECT t.sealed_before, w.window_start, sum(w.reports)::int8 FROM hearsay.tasks t "
                            "LEFT JOIN hearsay.windows w ON w.task = t.number AND w.window_start < t.sealed_before "
                            "WHERE t.number = $1::int4 GROUP BY 1, 2 ORDER BY 2"};
constexpr Statement kPartitions{"partitions",
                                "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
                                "WHERE i.inhparent = 'hearsay.ids'::regclass ORDER BY 1"};

constexpr Statement kOtherTasks{"other_tasks", "SELECT FROM hearsay.tasks WHERE number <> ALL ($1::int4[]) LIMIT 1"};

constexpr std::string_view kPrefix = "ids_";
constexpr std::string_view kLockTimeout = "55P03";

}  // namespace

Result<std::vector<SealedTask>> PostgresStore::sealed_tasks(Connection& connection) const {
  HEARSAY_TRY(const Rows rows, connection.run(kTasksToSeal));
  std::vector<SealedTask> tasks;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    TaskId id;
    std::ranges::copy(rows.bytes(row, 1), id.bytes.begin());
    HEARSAY_TRY(auto task, find_task(connection, id));
    if (task && task->number != rows.int4(row, 0)) {
      forget_task(id);
      HEARSAY_TRY(task, find_task(connection, id));
    }
    // The task was deleted meanwhile, and perhaps added again. The next call handles the new task.
    if (!task || task->number != rows.int4(row, 0)) continue;
    tasks.push_back({std::move(task), static_cast<UnixSeconds>(rows.int8(row, 2))});
  }
  return tasks;
}

Expiry PostgresStore::expire(UnixSeconds now) {
  Expiry done;
  const auto all = expire(now, done.forgotten);
  if (!all) done.failure = all.error();
  return done;
}

Result<void> PostgresStore::expire(UnixSeconds now, std::uint64_t& forgotten) {
  HEARSAY_CHECK_OK(writable());
  // Sealing cannot be undone. So this process seals nothing on a server that lost acknowledged commits, until a
  // restart accepts the loss. A process that is shut out leaves sealing to the others.
  if (writer_->lost()) return *writer_->loss();
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  HEARSAY_TRY(const bool shut_out, Writer::shut_out_unseen(*connection));
  // Starts and stops of daemons also remove rows of writers. writers_gone_ begins as true, so each process takes over
  // the counts of such writers once.
  if (shut_out) writers_gone_ = true;
  HEARSAY_TRY(const UnixSeconds database_now, Database::time(*connection));
  const UnixSeconds agreed = std::min(now, database_now);
  HEARSAY_TRY(const std::vector<SealedTask> tasks, sealed_tasks(*connection));
  std::vector<std::int32_t> sealed;
  for (const SealedTask& each : tasks) {
    sealed.push_back(each.task->number);
    if (first_live_window(each.task->task, agreed) <= each.before) continue;
    HEARSAY_TRY(const std::uint64_t of_task, seal(*connection, *each.task, agreed));
    forgotten += of_task;
  }
  HEARSAY_CHECK_OK(drop_days(*connection, agreed, sealed));
  // Sealing needs no fold: rows of `deltas` stay, and readers add them to `tallies` in sealed windows, too.
  const auto folded = fold(*connection);
  const auto cleared = clear_up(*connection);
  return folded ? cleared : folded;
}

Result<std::uint64_t> PostgresStore::seal(Connection& connection, const KnownTask& task, UnixSeconds now) {
  const std::int64_t before = to_database(first_live_window(task.task, now));
  connection.send(kBegin);
  connection.send(kLockTask, Parameters().int4(task.number));
  connection.send(kForgotten, Parameters().int4(task.number).int8(before));
  connection.send(kSeal, Parameters().int4(task.number).int8(before));
  connection.send(kCommit);
  HEARSAY_TRY(const std::vector<Rows> results, connection.finish());
  return static_cast<std::uint64_t>(results[2].int8(0, 0));
}

Result<void> PostgresStore::drop_days(Connection& connection, UnixSeconds now,
                                      const std::vector<std::int32_t>& sealed) {
  HEARSAY_TRY(const Rows rows, connection.run(kPartitions));
  std::string over;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string day(rows.bytes(row, 0).substr(kPrefix.size()));
    if (day == name_of_day(kNever) || (std::stoull(day) + 1) * kSecondsPerDay > now) continue;
    over += (over.empty() ? "" : ", ") + ("hearsay.ids_" + day) + ", hearsay.blocks_" + day;
  }
  if (over.empty()) return {};
  const auto dropped = drop_tables(connection, over, sealed);
  connection.roll_back();  // ends a transaction that is still open
  // While this transaction waits for a lock, appends wait, too. So the transaction gives up soon, and the next expiry
  // tries again.
  if (!dropped && connection.sqlstate() != kLockTimeout) return dropped.error();
  return {};
}

Result<void> PostgresStore::drop_tables(Connection& connection, const std::string& tables,
                                        const std::vector<std::int32_t>& sealed) {
  HEARSAY_CHECK_OK(
      connection.execute("BEGIN; SET LOCAL lock_timeout = '200ms'; "
                         "LOCK TABLE ONLY hearsay.ids, ONLY hearsay.blocks IN ACCESS EXCLUSIVE MODE"));
  // A task may have been added since expire() sealed windows. Such a task may have windows that are not sealed, with
  // reports in the partitions to drop. The number of the new task may be lower than other numbers, so all numbers are
  // compared.
  HEARSAY_TRY(const Rows others, connection.run(kOtherTasks, Parameters().int4s(sealed)));
  if (!others.empty()) return {};
  return connection.execute("DROP TABLE IF EXISTS " + tables + "; COMMIT");
}

Result<SealedWindows> PostgresStore::sealed(const Task& task) const {
  SealedWindows windows;
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  HEARSAY_TRY(const auto known, present_task(*connection, task.id()));
  if (!known) return windows;
  HEARSAY_TRY(const Rows rows, connection->run(kSealed, Parameters().int4(known->number)));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    windows.before = static_cast<UnixSeconds>(rows.int8(row, 0));
    if (rows.is_null(row, 1)) continue;
    windows.reports.emplace_back(static_cast<UnixSeconds>(rows.int8(row, 1)),
                                 static_cast<std::uint64_t>(rows.int8(row, 2)));
  }
  return windows;
}

}  // namespace hearsay::store::postgres
