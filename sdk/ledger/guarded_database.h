// The ledger's database behind what every use of it must pass: the right process, one thread at a time, no damage, and
// nothing shown that a loss of power could still undo.
#pragma once

#include <sys/types.h>

#include <functional>
#include <mutex>

#include "hearsay/ledger.h"
#include "sdk/database/database.h"

namespace hearsay::sdk {

class GuardedDatabase {
 public:
  // The last thing that happened to `database` was a commit. `counter` may be null, and must outlive the database.
  GuardedDatabase(Database database, RollbackCounter* counter);
  ~GuardedDatabase();
  GuardedDatabase(const GuardedDatabase&) = delete;
  GuardedDatabase& operator=(const GuardedDatabase&) = delete;

  // Runs `work` in a transaction, which is kept if `work` succeeds. Then raises the counter to the ledger's generation.
  // `work` must not use this object.
  //
  // Before `work`, if an earlier transaction may not be safe on the disk, commits another one: what `work` reads is
  // then safe. And raises the counter if that failed before.
  //
  // Errors: kInUse (also in a child process), kLedgerDamaged, kIo, those of the counter and those of `work`.
  Result<void> transact(const std::function<Result<void>(Database&)>& work);

 private:
  Result<void> prove();
  Result<void> raise_counter();
  Result<void> commit_of(const std::function<Result<void>(Database&)>& work);

  std::mutex mutex_;
  Database database_;
  RollbackCounter* counter_;
  const pid_t owner_;
  bool proven_ = true;   // all that the database shows is safe on the disk
  bool raised_ = false;  // the counter is where the ledger's generation is
};

}  // namespace hearsay::sdk
