// From the bytes of a request body to reports, each found good or refused.
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
  std::vector<std::span<const std::uint8_t>> encodings;  // of each report, the one valid encoding
  std::vector<std::uint8_t> owned;                       // the encodings of a JSON body, in a row
};

// Splits `bytes` into reports, in place where they are CBOR: they must stay while the body is used. Errors:
// kUnsupportedMediaType, kBodyTooLarge (JSON above kMaxJsonBody), kReportMalformed.
Result<Body> decode_body(std::string_view media_type, std::string_view bytes);

// Why the task does not take this report at the time `now` of the server's clock: kReportTimeInvalid, kReportTooEarly,
// kTaskExpired, kReportExpired, kReportWrongSize, kReportOutOfBounds. Nothing if it does.
std::optional<ErrorCode> check_report(const Task& task, const ReportView& report, UnixSeconds now,
                                      std::uint64_t skew_seconds);

}  // namespace hearsay::ingest
