#include "aggregator/store/postgres/writer.h"

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
constexpr Statement kInsert{"insert_writer",
                            "INSERT INTO hearsay.writers (instance) VALUES ($1::text) RETURNING number"};
constexpr Statement kLock{"lock_writer", "SELECT commit FROM hearsay.writers WHERE number = $1::int4 FOR UPDATE"};
constexpr Statement kSeen{"seen", "UPDATE hearsay.writers SET seen = now() WHERE number = $1::int4"};
// If this statement updates no row, it fails by a division by zero. The server then skips a COMMIT that follows.
constexpr Statement kNumber{"commit_number",
                            "WITH done AS (UPDATE hearsay.writers SET commit = $2::int8, seen = now() "
                            "WHERE number = $1::int4 AND commit = $2::int8 - 1 RETURNING 1) "
                            "SELECT 1 / count(*) FROM done"};

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

Error Writer::lose(ErrorCode code, const std::string& why) {
  loss_ = Error{code, why};
  lost_ = true;
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
                "another process opened the store under this instance's name, or this process was away for a day: this "
                "process takes no more reports. Give each daemon its own `instance`, and restart this daemon");
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
