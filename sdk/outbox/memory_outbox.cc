#include <algorithm>

#include "hearsay/outbox.h"

namespace hearsay::sdk {

Result<void> MemoryOutbox::put(const ReportBytes& report) {
  if (std::find(reports_.begin(), reports_.end(), report) == reports_.end()) reports_.push_back(report);
  return {};
}

Result<void> MemoryOutbox::acknowledge(const ReportBytes& report) {
  std::erase(reports_, report);
  return {};
}

}  // namespace hearsay::sdk
