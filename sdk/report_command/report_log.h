// What left a device, in words.
#pragma once

#include <string>
#include <vector>

#include "hearsay/outbox.h"

namespace hearsay::sdk {

// Returns one paragraph for each report, as the person reads them who made the reports: when, for which task, how many
// bytes and which, what the report may reveal, and what became of the report.
std::string describe_reports(const std::vector<LoggedReport>& reports);

}  // namespace hearsay::sdk
