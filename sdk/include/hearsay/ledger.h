// A person's privacy budget: the account that is charged before a record is randomized.
#pragma once

#include <memory>

#include "hearsay/epsilon.h"
#include "hearsay/result.h"

namespace hearsay::sdk {

// Keeps one person's budget. Give each person one ledger for all tasks, not one for each task. The ledger then bounds
// what all reports of the person reveal together: losses add up, so the total loss is at most the sum of the debits.
//
// An app that must remember the budget across restarts implements this interface over storage of its own.
class Ledger {
 public:
  virtual ~Ledger() = default;

  // Pays `epsilon` for one randomization. The caller randomizes only after debit() has succeeded. A debit is never
  // given back. A ledger on disk returns success only once the debit is on disk.
  // Errors: kBudgetExhausted (the rest of the budget is smaller than `epsilon`), kIo. Nothing is debited on an error.
  virtual Result<void> debit(const Epsilon& epsilon) = 0;
};

// Makes a ledger in memory that allows debits of `budget` in total. The sum is exact. The ledger forgets all debits
// when the process ends. Thread-safety: any number of threads may use the ledger at once.
std::unique_ptr<Ledger> make_memory_ledger(const Epsilon& budget);

}  // namespace hearsay::sdk
