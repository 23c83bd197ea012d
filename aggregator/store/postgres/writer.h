// The writer of one opened store: its row in the database, the number of its last commit, and what becomes of a commit
// whose answer was lost. See format.md, Doubt.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "aggregator/store/postgres/database.h"

namespace hearsay::store::postgres {

// One thread at a time.
class Writer {
 public:
  // `most_unseen`: after which ready() updates the row, so that a daemon to which nobody reports keeps it.
  Writer(Database& database, std::chrono::seconds most_unseen) : database_(database), most_unseen_(most_unseen) {}

  // Makes the row, and takes away that of an earlier writer of the same instance.
  Result<void> start(const std::string& instance);
  // Takes the row away, if it can be reached.
  void stop();

  // Takes away the rows of writers that were not seen for a day. Returns whether there were some.
  static Result<bool> shut_out_unseen(Connection& connection);

  // A connection outside any transaction, after doubt about the last commit is resolved. Errors: kStoreFailed, of which
  // a later call may be free; those of loss().
  Result<Connection*> ready();

  std::int32_t number() const { return number_; }
  // The number of the next commit, which begins now.
  std::int64_t next() const { return acknowledged_ + 1; }
  // Queues the statement that makes the open transaction the next commit, and fails if the writer is shut out. It must
  // have run before COMMIT is sent: the transaction holds the writer's row then, and whoever looks at the row after an
  // answer was lost waits until it has ended.
  void send_commit_number();
  // The writer's row is not as it was left: ready() looks what became of it.
  void suspect() { resolved_ = false; }
  // The transaction may be committed by now, as far as this process knows.
  void doubt() { doubtful_ = true; }
  // The transaction is committed: the server said so, and warned of nothing.
  void acknowledge();
  // Whether the doubtful commit turned out to be committed; for the caller that doubted.
  bool was_committed(std::int64_t commit) const { return acknowledged_ >= commit; }

  // Why this writer can never write again: kInUse (shut out), kStoreCorrupt (the server lost acknowledged commits, or
  // somebody else wrote under the writer's number).
  const std::optional<Error>& loss() const { return loss_; }
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
  bool doubtful_ = false;          // whether the commit behind it may be there
  bool resolved_ = false;          // whether connection_ has looked at the row
  std::optional<Error> loss_;
  // When the row was last updated; before the first resolve(): long ago.
  std::chrono::steady_clock::time_point seen_;
};

}  // namespace hearsay::store::postgres
