// How much of a privacy budget has been spent, exactly.
#pragma once

#include "common/base/rational.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// Costs of releases about the same database add up; their sum never exceeds the budget. One thread at a time.
class PrivacyLedger {
 public:
  explicit PrivacyLedger(const Epsilon& budget) : budget_(budget) {}

  // Enters `cost`, or refuses and stays as it was. Exact: ten times a tenth of the budget fit, an eleventh does not.
  // Errors: kBudgetExhausted.
  Result<void> charge(const Epsilon& cost);

  const Epsilon& budget() const { return budget_; }
  const Rational& spent() const { return spent_; }

 private:
  Epsilon budget_;
  Rational spent_;
};

}  // namespace hearsay::central
