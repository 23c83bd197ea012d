#include "sdk/randomize/randomizer.h"

#include "common/base/try.h"
#include "common/report/randomize.h"

namespace hearsay::sdk {

Result<std::vector<std::uint8_t>> Randomizer::report(const Record& record, UnixSeconds now, BitSource& bits) {
  if (reported_) {
    if (record == reported_->record) return reported_->bytes;
    return Error{ErrorCode::kBudgetExhausted, "this client has made its report, of another record"};
  }
  HEARSAY_CHECK_OK(check_randomizable(task_, record, now));
  HEARSAY_CHECK_OK(ledger_->debit(task_.epsilon()));
  HEARSAY_TRY(const Report report, randomize(task_, record, now, bits));
  std::vector<std::uint8_t> bytes;
  append_report(report, bytes);
  return reported_.emplace(Reported{record, std::move(bytes)}).bytes;
}

}  // namespace hearsay::sdk
