#include "sdk/randomize/randomizer.h"

#include "common/base/try.h"
#include "common/report/randomize.h"

namespace hearsay::sdk {

Result<std::vector<std::uint8_t>> Randomizer::report(const Record& record, UnixSeconds now, BitSource& bits) {
  std::vector<std::uint32_t> key(record.values().begin(), record.values().end());
  if (const auto known = reports_.find(key); known != reports_.end()) return known->second;

  // A task that cannot take a report must not cost anything: its lifetime is known without the record.
  HEARSAY_CHECK_OK(check_lifetime(task_, now));
  HEARSAY_CHECK_OK(ledger_->debit(task_.epsilon()));
  HEARSAY_TRY(const Report report, randomize(task_, record, now, bits));
  std::vector<std::uint8_t> bytes;
  append_report(report, bytes);
  return reports_.emplace(std::move(key), std::move(bytes)).first->second;
}

}  // namespace hearsay::sdk
