// Splits the bytes of a request body into reports, and checks each report.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "aggregator/ingest/ingest.h"
#include "common/report/report.h"

namespace hearsay::ingest {

// The reports of a request body.
struct Body {
  std::vector<ReportView> reports;
  // The one valid encoding of each report.
  std::vector<std::span<const std::uint8_t>> encodings;
  // The encodings of a JSON body, in a row.
  std::vector<std::uint8_t> owned;
};

// Splits `bytes` into reports. CBOR is split in place, so `bytes` must stay while the body is used. Errors:
// kUnsupportedMediaType, kBodyTooLarge (JSON above kMaxJsonBody), kReportMalformed.
Result<Body> decode_body(std::string_view media_type, std::string_view bytes);

// Returns nothing if the task takes this report at the time `now` of the server's clock. Otherwise returns why not:
// kReportTimeInvalid, kReportTooEarly, kTaskExpired, kReportExpired, kReportWrongSize, kReportOutOfBounds.
std::optional<ErrorCode> check_report(const Task& task, const ReportView& report, UnixSeconds now,
                                      std::uint64_t skew_seconds);

}  // namespace hearsay::ingest
