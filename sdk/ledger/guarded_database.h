// The ledger's database behind what every use of it must pass: the right process, one thread at a time, no damage, and
// nothing shown that a loss of power could still undo.
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
  // Opens the database, which exists, checks it, and commits a transaction.
  using Reopen = std::function<Result<Database>()>;

  // `database` was opened like that. `counter` may be null, and must outlive the database.
  GuardedDatabase(Database database, Reopen reopen, RollbackCounter* counter);
  ~GuardedDatabase();
  GuardedDatabase(const GuardedDatabase&) = delete;
  GuardedDatabase& operator=(const GuardedDatabase&) = delete;

  // Runs `work` in a transaction, which is kept if `work` succeeds. Then raises the counter to the ledger's generation.
  // `work` must not use this object.
  //
  // If the disk failed, the next call opens the database anew: with all checks, and with a commit, so that all that
  // `work` reads is safe on the disk. Before `work`, raises the counter if that failed.
  //
  // Errors: kInUse (also in a child process), kLedgerDamaged, kIo, those of the counter and those of `work`.
  Result<void> transact(const std::function<Result<void>(Database&)>& work) { return transact(work, true); }

  // The same for work that must be kept although the counter fails: raises the counter only afterwards.
  Result<void> transact_before_counter(const std::function<Result<void>(Database&)>& work) {
    return transact(work, false);
  }

 private:
  Result<void> transact(const std::function<Result<void>(Database&)>& work, bool raises_first);
  Result<void> raise_counter();
  Result<void> commit_of(const std::function<Result<void>(Database&)>& work);

  std::mutex mutex_;
  std::optional<Database> database_;  // none after the disk failed
  Reopen reopen_;
  RollbackCounter* counter_;
  const pid_t owner_;
  bool raised_ = false;  // the counter is where the ledger's generation is
};

}  // namespace hearsay::sdk
