#include "aggregator/store/postgres/writer.h"

#include <limits>
#include <optional>

#include "aggregator/store/postgres/transactions.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

// Removes the rows of the writer $1, of the writers of instance $2, and of all writers that were not seen for a day.
// Adds their commits to writer 0.
constexpr Statement kShutOut{
    "shut_out",
    "WITH gone AS (DELETE FROM hearsay.writers WHERE number <> 0 AND (number = $1::int4 OR instance = $2::text OR "
    "seen < now() - interval '1 day') RETURNING commit) UPDATE hearsay.writers "
    "SET commit = writers.commit + (SELECT sum(commit) FROM gone) WHERE number = 0 AND EXISTS (SELECT FROM gone)"};
// Returns the key of the 10,000th row of `windows` behind the key ($1, $2, $3); nothing if there are fewer rows.
constexpr Statement kNextWindows{"next_windows",
                                 "SELECT task, window_start, writer FROM hearsay.windows "
                                 "WHERE (task, window_start, writer) > ($1::int4, $2::int8, $3::int4) "
                                 "ORDER BY task, window_start, writer OFFSET 9999 LIMIT 1"};
// Works on the rows with keys above ($1, $2, $3), up to ($4, $5, $6).
constexpr Statement kInherit{
    "inherit",
    "WITH gone AS (DELETE FROM hearsay.windows w WHERE (task, window_start, writer) > ($1::int4, $2::int8, $3::int4) "
    "AND (task, window_start, writer) <= ($4::int4, $5::int8, $6::int4) AND w.writer <> 0 AND NOT EXISTS "
    "(SELECT FROM hearsay.writers r WHERE r.number = w.writer) RETURNING task, window_start, reports, pairs, commits) "
    "INSERT INTO hearsay.windows (writer, task, window_start, reports, pairs, commits) "
    "SELECT 0, task, window_start, sum(reports), sum(pairs), sum(commits) FROM gone GROUP BY task, window_start "
    "ON CONFLICT (task, window_start, writer) DO UPDATE SET reports = windows.reports + excluded.reports, "
    "pairs = windows.pairs + excluded.pairs, commits = windows.commits + excluded.commits"};
constexpr Statement kInsert{"insert_writer",
                            "INSERT INTO hearsay.writers (instance) VALUES ($1::text) RETURNING number"};
constexpr Statement kLock{"lock_writer", "SELECT commit FROM hearsay.writers WHERE number = $1::int4 FOR UPDATE"};
constexpr Statement kSeen{"seen", "UPDATE hearsay.writers SET seen = now() WHERE number = $1::int4"};
// If this statement updates no row, it fails by a division by zero, so the server skips the COMMIT behind it.
constexpr Statement kNumber{"commit_number",
                            "WITH done AS (UPDATE hearsay.writers SET commit = $2::int8, seen = now() "
                            "WHERE number = $1::int4 AND commit = $2::int8 - 1 RETURNING 1) "
                            "SELECT 1 / count(*) FROM done"};

// The key of a row of `windows`.
struct WindowKey {
  std::int32_t task;
  std::int64_t start;
  std::int32_t writer;
};

constexpr WindowKey kBeforeAll{0, 0, 0};
constexpr WindowKey kBehindAll{std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int64_t>::max(),
                               std::numeric_limits<std::int32_t>::max()};

Parameters& add(Parameters& parameters, const WindowKey& key) {
  return parameters.int4(key.task).int8(key.start).int4(key.writer);
}

// Runs one transaction. Returns the key of the last row of `windows` that it read; nothing if no rows are left.
Result<std::optional<WindowKey>> inherit_some(Connection& connection, const WindowKey& behind) {
  Parameters range;
  add(range, behind);
  connection.send(kBegin);
  connection.send(kLockMaintenance, Parameters().int4(kFoldLock));
  connection.send(kNextWindows, range);
  HEARSAY_TRY(const std::vector<Rows> begun, connection.finish());
  const Rows& next = begun[2];
  std::optional<WindowKey> last;
  if (!next.empty()) {
    last = WindowKey{static_cast<std::int32_t>(next.int4(0, 0)), next.int8(0, 1),
                     static_cast<std::int32_t>(next.int4(0, 2))};
  }
  connection.send(kInherit, add(range, last.value_or(kBehindAll)));
  connection.send(kCommit);
  HEARSAY_TRY(const std::vector<Rows> done, connection.finish());
  return last;
}

}  // namespace

Result<void> Writer::start(const std::string& instance) {
  HEARSAY_TRY(const Database::Lease connection, database_.lease());
  connection->send(kBegin);
  connection->send(kShutOut, Parameters().int4(0).bytes(instance));
  connection->send(kInsert, Parameters().bytes(instance));
  connection->send(kCommit);
  HEARSAY_TRY(const std::vector<Rows> results, connection->finish());
  number_ = static_cast<std::int32_t>(results[2].int4(0, 0));
  return {};
}

void Writer::stop() {
  if (number_ == 0 || loss_) return;
  const auto connection = ready();
  if (connection) static_cast<void>((*connection)->run(kShutOut, Parameters().int4(number_).bytes("")));
}

Result<bool> Writer::shut_out_unseen(Connection& connection) {
  HEARSAY_TRY(const Rows gone, connection.run(kShutOut, Parameters().int4(0).bytes("")));
  return gone.affected() != 0;
}

Result<void> Writer::inherit(Connection& connection) {
  for (std::optional<WindowKey> behind = kBeforeAll; behind;) {
    auto last = inherit_some(connection, *behind);
    connection.roll_back();  // ends a transaction that is still open
    if (!last) return last.error();
    behind = *last;
  }
  return {};
}

Error Writer::lose(ErrorCode code, const std::string& why) {
  loss_ = Error{code, why};
  connection_.reset();
  return *loss_;
}

Result<Connection*> Writer::ready() {
  if (loss_) return *loss_;
  if (connection_ && database_.is_former(*connection_)) connection_.reset();
  if (connection_ && connection_->in_transaction()) connection_->roll_back();
  if (connection_ && (connection_->broken() || connection_->in_transaction())) connection_.reset();
  const bool is_idle = std::chrono::steady_clock::now() - seen_ > most_unseen_;
  // If the way to the server is gone, a new connection is made below.
  if (connection_ && resolved_ && is_idle && !resolve() && loss_) return *loss_;
  if (!connection_) {
    HEARSAY_TRY(connection_, database_.connect());
    resolved_ = false;
  }
  if (!resolved_ || doubtful_) HEARSAY_CHECK_OK(resolve());
  return connection_.get();
}

// The update of `seen` stands behind the doubtful commit in the server's log. A standby that has confirmed the update
// has confirmed the doubtful commit, too.
Result<void> Writer::resolve() {
  connection_->send(kBegin);
  connection_->send(kLock, Parameters().int4(number_));
  connection_->send(kSeen, Parameters().int4(number_));
  connection_->take_warning();
  connection_->send(kCommit);
  auto results = connection_->finish();
  if (!results) {
    connection_.reset();
    return results.error();
  }
  if (connection_->take_warning()) {
    connection_.reset();
    return Error{ErrorCode::kStoreFailed, "no synchronous standby confirms the database's commits"};
  }
  const Rows& row = (*results)[1];
  if (row.empty()) {
    return lose(ErrorCode::kInUse,
                "another process opened the store under this instance's name, or this process was away for a day: it "
                "takes nothing more. Give each daemon its own `instance`, and restart this one");
  }
  const std::int64_t commit = row.int8(0, 0);
  if (commit < acknowledged_) {
    return lose(ErrorCode::kStoreCorrupt, "the database server has lost acknowledged commits: it has " +
                                              std::to_string(commit) + " of this daemon, and " +
                                              std::to_string(acknowledged_) + " were acknowledged");
  }
  if (commit > acknowledged_ + (doubtful_ ? 1 : 0)) {
    return lose(ErrorCode::kStoreCorrupt, "somebody else has written to the database under this daemon's number");
  }
  acknowledged_ = commit;
  doubtful_ = false;
  resolved_ = true;
  seen_ = std::chrono::steady_clock::now();
  return {};
}

void Writer::send_commit_number() { connection_->send(kNumber, Parameters().int4(number_).int8(next())); }

void Writer::acknowledge() {
  ++acknowledged_;
  seen_ = std::chrono::steady_clock::now();
  doubtful_ = false;
}

}  // namespace hearsay::store::postgres
