// Splits the bytes of a request body into reports, and checks single reports.
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
  // The bytes of each report. A report has only one valid encoding.
  std::vector<std::span<const std::uint8_t>> encodings;
  // Memory for the encodings, if the body is JSON.
  std::vector<std::uint8_t> owned;
};

// Splits `bytes` into reports. The views of a CBOR body point into `bytes`, which must stay while the result is used.
// Errors: kUnsupportedMediaType, kBodyTooLarge (JSON above kMaxJsonBody), kReportMalformed.
Result<Body> decode_body(std::string_view media_type, std::string_view bytes);

// Returns nothing if the task takes this report at the time `now` of the server's clock. A client's clock may be ahead
// of the server's by `skew_seconds`. Otherwise returns the reason for the refusal: kReportTimeInvalid, kReportTooEarly,
// kTaskExpired, kReportExpired, kReportWrongSize, kReportOutOfBounds.
std::optional<ErrorCode> check_report(const Task& task, const ReportView& report, UnixSeconds now,
                                      std::uint64_t skew_seconds);

}  // namespace hearsay::ingest
