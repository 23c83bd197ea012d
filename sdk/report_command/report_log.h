// Describes in words which reports left a device.
#pragma once

#include <string>
#include <vector>

#include "hearsay/outbox.h"

namespace hearsay::sdk {

// Returns one paragraph for each report, written for the person who made the reports. A paragraph says when the report
// was made, for which task, its bytes, how much it may reveal, and what became of it.
std::string describe_reports(const std::vector<LoggedReport>& reports);

}  // namespace hearsay::sdk
