#include "aggregator/central/laplace/privacy_ledger.h"

#include "aggregator/central/laplace/laplace_mechanism.h"
#include "common/base/try.h"

namespace hearsay::central {

Result<void> PrivacyLedger::charge(const Epsilon& cost) {
  HEARSAY_TRY(const Rational sum, spent_.plus(exact(cost)));
  if (sum > exact(budget_)) {
    return Error{ErrorCode::kBudgetExhausted, "the privacy budget of this session does not cover the query"};
  }
  spent_ = sum;
  return {};
}

}  // namespace hearsay::central
