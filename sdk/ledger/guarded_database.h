// Guards every use of the ledger's database. Only the process that opened the database may use it, one thread at a
// time. If the database is damaged, all uses fail. No use reads rows that a loss of power could still undo.
#pragma once

#include <sys/types.h>

#include <functional>
#include <mutex>
#include <optional>

#include "hearsay/ledger.h"
#include "sdk/database/database.h"

namespace hearsay::sdk {

class GuardedDatabase {
 public:
  // Opens the existing database, checks it, and commits a transaction.
  using Reopen = std::function<Result<Database>()>;

  // `database` is what `reopen` would return. `counter` may be null, and must outlive the database.
  GuardedDatabase(Database database, Reopen reopen, RollbackCounter* counter);
  ~GuardedDatabase();
  GuardedDatabase(const GuardedDatabase&) = delete;
  GuardedDatabase& operator=(const GuardedDatabase&) = delete;

  // Runs `work` in a transaction. If `work` succeeds, commits the transaction and raises the counter to the ledger's
  // generation. `work` must not use this object.
  //
  // If the disk failed, the next call opens the database anew, with all checks and a commit. So everything that `work`
  // reads is safe on the disk. If raising the counter failed, the next call raises the counter before `work`.
  //
  // Errors: kInUse (also in a child process), kLedgerDamaged, kIo, those of the counter and those of `work`.
  Result<void> transact(const std::function<Result<void>(Database&)>& work) { return transact(work, true); }

  // Like transact(), for work whose changes must stay even if the counter fails: raises the counter only after the
  // commit.
  Result<void> transact_before_counter(const std::function<Result<void>(Database&)>& work) {
    return transact(work, false);
  }

 private:
  Result<void> transact(const std::function<Result<void>(Database&)>& work, bool raises_first);
  Result<void> raise_counter();
  Result<void> commit_of(const std::function<Result<void>(Database&)>& work);

  std::mutex mutex_;
  std::optional<Database> database_;  // empty after the disk has failed
  Reopen reopen_;
  RollbackCounter* counter_;
  const pid_t owner_;
  bool raised_ = false;  // true if the counter equals the ledger's generation
};

}  // namespace hearsay::sdk
