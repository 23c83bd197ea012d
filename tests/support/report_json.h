// Writes a report in the JSON form for people. The aggregator reads this form but does not write it.
#pragma once

#include "common/base/encoding.h"
#include "common/report/report.h"

namespace hearsay::tests {

inline Json report_to_json(const Report& report) {
  return Json::object({{"id", report.id.to_string()},
                       {"payload", base64url_encode(report.payload)},
                       {"time", report.time},
                       {"version", 1U}});
}

}  // namespace hearsay::tests
