// Counts exactly how much of a privacy budget has been spent.
#pragma once

#include "common/base/rational.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// Adds up the costs of releases about the same database. The sum never exceeds the budget. Thread-safety: one thread at
// a time.
class PrivacyLedger {
 public:
  explicit PrivacyLedger(const Epsilon& budget) : budget_(budget) {}

  // Adds `cost`, in exact arithmetic: ten tenths of the budget fit, an eleventh does not. After an error the ledger is
  // unchanged. Errors: kBudgetExhausted.
  Result<void> charge(const Epsilon& cost);

  const Epsilon& budget() const { return budget_; }
  const Rational& spent() const { return spent_; }

 private:
  Epsilon budget_;
  Rational spent_;
};

}  // namespace hearsay::central
