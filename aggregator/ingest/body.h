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

// The reports of a request body. Objects are used again and again: what they have allocated, they keep, up to a bound.
class Body {
 public:
  // Splits `bytes` into reports, in place where they are CBOR: they must stay while reports() is used. Errors:
  // kUnsupportedMediaType, kBodyTooLarge (JSON above kMaxJsonBody), kReportMalformed; reports() is then unspecified.
  Result<void> decode(std::string_view media_type, std::string_view bytes);
  const std::vector<ReportView>& reports() const { return views_; }
  // The one valid encoding of a report.
  std::span<const std::uint8_t> encoded(std::size_t report) const { return encodings_[report]; }
  // Forgets the reports.
  void clear();

 private:
  Result<void> decode_cbor(std::string_view bytes);
  Result<void> decode_json(std::string_view bytes);
  Result<void> split(std::span<const std::uint8_t> rest);  // a CBOR sequence, which must stay

  std::vector<std::uint8_t> owned_;  // the reports of a JSON body, encoded
  std::vector<ReportView> views_;
  std::vector<std::span<const std::uint8_t>> encodings_;
};

// Why the task does not take this report at the time `now` of the server's clock: kReportTimeInvalid, kReportTooEarly,
// kTaskExpired, kReportExpired, kReportWrongSize, kReportOutOfBounds. Nothing if it does.
std::optional<ErrorCode> check_report(const Task& task, const ReportView& report, UnixSeconds now,
                                      std::uint64_t skew_seconds);

}  // namespace hearsay::ingest
