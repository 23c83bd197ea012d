#include "common/base/try.h"
#include "hearsay/ledger.h"

namespace hearsay::sdk {
namespace {

// An Epsilon is in lowest terms already, so this cannot fail.
Rational rational(const Epsilon& epsilon) { return Rational::create(epsilon.num(), epsilon.den()).value(); }

}  // namespace

MemoryLedger::MemoryLedger(const Epsilon& budget) : budget_(rational(budget)) {}

Result<void> MemoryLedger::debit(const Epsilon& epsilon) {
  const std::lock_guard lock(mutex_);
  HEARSAY_TRY(const Rational after, spent_.plus(rational(epsilon)));
  if (after > budget_) return Error{ErrorCode::kBudgetExhausted, "the privacy budget of this device is spent"};
  spent_ = after;
  return {};
}

}  // namespace hearsay::sdk
