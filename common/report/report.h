// One randomized record on its way from a device to the aggregator. common/report/format.md describes the bytes.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "hearsay/clock.h"
#include "hearsay/result.h"

namespace hearsay {

// The id of a report: 16 fresh random bytes.
struct ReportId {
  std::array<std::uint8_t, 16> bytes;
  std::string to_string() const;  // unpadded base64url, 22 characters
  auto operator<=>(const ReportId&) const = default;
};

struct Report {
  ReportId id;
  UnixSeconds time;  // truncated to the task's time_precision
  std::vector<std::uint8_t> payload;
  bool operator==(const Report&) const = default;
};

// A report whose payload lies in another buffer.
struct ReportView {
  ReportId id;
  UnixSeconds time;
  std::span<const std::uint8_t> payload;
};

inline constexpr std::size_t kMaxPayloadBytes = std::size_t{1} << 20U;
inline constexpr std::string_view kReportsMediaType = "application/vnd.hearsay.reports+cbor-seq";

// Appends the only valid encoding of the report: CBOR [1, id, time, payload], with shortest lengths. The payload must
// have at most kMaxPayloadBytes, as the payload of every channel has.
void append_report(const Report& report, std::vector<std::uint8_t>& out);

// Reads the first report of a CBOR sequence and removes its bytes from `rest`. The view points into these bytes.
// Errors: kReportMalformed for anything but the only valid encoding. The message names the part at fault.
Result<ReportView> read_report(std::span<const std::uint8_t>& rest);

// Reads the form for people: {"id": base64url, "payload": base64url, "time": seconds, "version": 1}. Errors:
// kReportMalformed.
Result<Report> report_from_json(const Json& json);

}  // namespace hearsay
