// The person's privacy budget: what must be paid before a record is randomized.
#pragma once

#include <mutex>

#include "common/base/rational.h"
#include "hearsay/epsilon.h"
#include "hearsay/result.h"

namespace hearsay::sdk {

// Kept per person and not per task: by composition the person's loss is at most the sum of the debits.
class Ledger {
 public:
  virtual ~Ledger() = default;
  // Pays for one randomization. Only after success may it take place; a debit is never given back.
  // Errors: kBudgetExhausted, kIo; nothing is debited then.
  virtual Result<void> debit(const Epsilon& epsilon) = 0;
};

// Budget in memory, exact, lost with the process. Thread-safe.
class MemoryLedger final : public Ledger {
 public:
  explicit MemoryLedger(const Epsilon& budget);
  Result<void> debit(const Epsilon& epsilon) override;

 private:
  std::mutex mutex_;
  Rational budget_;
  Rational spent_;
};

}  // namespace hearsay::sdk
