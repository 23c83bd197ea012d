// Describes a device's reports in words.
#pragma once

#include <string>
#include <vector>

#include "hearsay/outbox.h"

namespace hearsay::sdk {

// Returns one paragraph for each report, for the person who made the reports. A paragraph gives the report's time,
// task, bytes and state, and says how much the report may reveal.
std::string describe_reports(const std::vector<LoggedReport>& reports);

}  // namespace hearsay::sdk
