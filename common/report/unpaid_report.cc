#include "hearsay/unpaid_report.h"

#include "common/base/try.h"
#include "common/report/randomize.h"

namespace hearsay {

Result<std::vector<std::uint8_t>> make_unpaid_report(const Task& task, const Record& record, UnixSeconds now) {
  HEARSAY_TRY(const Report report, randomize(task, record, now, system_bit_source()));
  std::vector<std::uint8_t> bytes;
  append_report(report, bytes);
  return bytes;
}

}  // namespace hearsay
