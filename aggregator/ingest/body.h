// From the bytes of a request body to reports, each found good or refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/ingest/ingest.h"
#include "common/report/report.h"

namespace hearsay::aggregator {

// The reports of a request body. Views into it stay valid for the object's life: it is neither copied nor moved.
class Body {
 public:
  // Errors: kUnsupportedMediaType, kBodyTooLarge (JSON above kMaxJsonBody), kReportMalformed.
  static Result<std::unique_ptr<Body>> decode(std::string_view media_type, std::string bytes);
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  const std::vector<ReportView>& reports() const { return views_; }

 private:
  explicit Body(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<void> decode_cbor();
  Result<void> decode_json();

  std::string bytes_;
  std::vector<Report> owned_;  // of a JSON body
  std::vector<ReportView> views_;
};

// Whether the task takes this report at the time `now` of the server's clock. Errors: kReportTimeInvalid,
// kReportTooEarly, kTaskExpired, kReportWrongSize, kReportOutOfBounds.
Result<void> check_report(const Task& task, const ReportView& report, UnixSeconds now, std::uint64_t skew_seconds);

}  // namespace hearsay::aggregator
