// The writer of one opened store. Keeps the writer's row in the table `writers`, and the number of the last commit. If
// the answer to a commit was lost, finds out whether the commit was made. See format.md, "Doubt".
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "aggregator/store/postgres/database.h"

namespace hearsay::store::postgres {

// Thread-safety: one thread at a time.
class Writer {
 public:
  // After the time `most_unseen` without a commit, ready() updates the writer's row, so that other daemons do not
  // remove the row.
  Writer(Database& database, std::chrono::seconds most_unseen) : database_(database), most_unseen_(most_unseen) {}

  // Makes the writer's row in `writers`, and removes the row of an earlier writer of the same instance.
  Result<void> start(const std::string& instance);
  // Removes the writer's row, if the database can be reached.
  void stop();

  // Removes the rows of writers that were not seen for a day. Returns true if there were such rows.
  static Result<bool> shut_out_unseen(Connection& connection);

  // Returns a connection outside any transaction. If the answer to the last commit was lost, first finds out whether
  // the commit was made. Errors: kStoreFailed (a later call may succeed), and the error that loss() returns.
  Result<Connection*> ready();

  std::int32_t number() const { return number_; }
  // Returns the number of the next commit.
  std::int64_t next() const { return acknowledged_ + 1; }
  // Queues the statement that gives the open transaction the number next(). The statement fails if the writer is shut
  // out. Send COMMIT only after the statement has run. The transaction then holds the writer's row, and a later look at
  // the row waits until the transaction has ended.
  void send_commit_number();
  // Call this if the writer's row may have changed: ready() then reads the row.
  void suspect() { resolved_ = false; }
  // Call this if it is unknown whether the transaction was committed.
  void doubt() { doubtful_ = true; }
  // Call this if the server said, without a warning, that the transaction is committed.
  void acknowledge();
  // Returns true if the commit with this number was made. Call this after ready().
  bool was_committed(std::int64_t commit) const { return acknowledged_ >= commit; }

  // Returns why this writer cannot write again: kInUse (shut out), kStoreCorrupt (the server lost acknowledged commits,
  // or another process wrote under the writer's number).
  const std::optional<Error>& loss() const { return loss_; }
  // Returns true if loss() is set; loss() then changes no more. Any thread may call this function.
  bool lost() const { return lost_; }
  // Gives up the connection, for example after a commit that is not confirmed.
  void disconnect() { connection_.reset(); }
  bool connected() const { return connection_ != nullptr; }

 private:
  Result<void> resolve();
  Error lose(ErrorCode code, const std::string& why);

  Database& database_;
  const std::chrono::seconds most_unseen_;
  std::unique_ptr<Connection> connection_;
  std::int32_t number_ = 0;
  std::int64_t acknowledged_ = 0;  // number of the last commit that the server confirmed
  bool doubtful_ = false;          // true if the next commit may have been made
  bool resolved_ = false;          // true if the row was read over connection_
  std::optional<Error> loss_;
  std::atomic<bool> lost_ = false;
  // The time when the row was last updated; before the first resolve(), the epoch of the clock.
  std::chrono::steady_clock::time_point seen_;
};

}  // namespace hearsay::store::postgres
