#include <mutex>

#include "common/base/rational.h"
#include "common/base/try.h"
#include "hearsay/ledger.h"

namespace hearsay::sdk {
namespace {

// An Epsilon is in lowest terms already, so this cannot fail.
Rational rational(const Epsilon& epsilon) { return Rational::create(epsilon.num(), epsilon.den()).value(); }

class MemoryLedger final : public Ledger {
 public:
  explicit MemoryLedger(const Epsilon& budget) : budget_(rational(budget)) {}

  Result<void> debit(const Epsilon& epsilon) override {
    const std::lock_guard lock(mutex_);
    HEARSAY_TRY(const Rational after, spent_.plus(rational(epsilon)));
    if (after > budget_) return Error{ErrorCode::kBudgetExhausted, "the privacy budget of this device is spent"};
    spent_ = after;
    return {};
  }

 private:
  std::mutex mutex_;
  Rational budget_;
  Rational spent_;
};

}  // namespace

std::unique_ptr<Ledger> make_memory_ledger(const Epsilon& budget) { return std::make_unique<MemoryLedger>(budget); }

}  // namespace hearsay::sdk
