#include "common/report/report.h"

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/report/cbor.h"

namespace hearsay {
namespace {

using cbor::MajorType;

constexpr std::uint64_t kElements = 4;
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kIdBytes = 16;

Error malformed(std::string message) { return {ErrorCode::kReportMalformed, std::move(message)}; }

ReportId id_from_bytes(std::span<const std::uint8_t> bytes) {
  ReportId id{};
  std::copy_n(bytes.begin(), kIdBytes, id.bytes.begin());
  return id;
}

// Takes the next `size` bytes, if there are enough.
std::optional<std::span<const std::uint8_t>> take(std::span<const std::uint8_t>& rest, std::uint64_t size) {
  if (size > rest.size()) return std::nullopt;
  const auto taken = rest.first(static_cast<std::size_t>(size));
  rest = rest.subspan(taken.size());
  return taken;
}

Result<std::vector<std::uint8_t>> bytes_member(const ObjectReader& reader, std::string_view key) {
  HEARSAY_TRY(const std::string text, reader.get_string(key));
  auto bytes = base64url_decode(text);
  if (!bytes) return malformed(reader.path(key) + " is " + bytes.error().message);
  return bytes;
}

Result<std::uint64_t> unsigned_member(const ObjectReader& reader, std::string_view key) {
  HEARSAY_TRY(const Json* value, reader.get(key));
  // The parser keeps every non-negative integer as unsigned, but an integer built in memory can be signed.
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  if (!value->is_number_integer() || value->get<std::int64_t>() < 0) {
    return malformed(reader.path(key) + " must be an integer from 0 to 2^64 - 1");
  }
  return value->get<std::uint64_t>();
}

// An unknown key may be anything, for example a record's value. So the message gives only the key's place.
Result<void> check_keys(const Json& json) {
  constexpr std::array<std::string_view, 4> kKeys{"id", "payload", "time", "version"};
  std::size_t place = 0;
  for (const auto& member : json.items()) {
    ++place;
    if (std::find(kKeys.begin(), kKeys.end(), member.key()) != kKeys.end()) continue;
    return malformed("report has an unknown key, number " + std::to_string(place) +
                     " in alphabetical order; a report has the keys id, payload, time and version");
  }
  return {};
}

Result<Report> from_json(const Json& json) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(json, "report"));
  HEARSAY_CHECK_OK(check_keys(json));
  HEARSAY_TRY(const std::uint64_t version, unsigned_member(reader, "version"));
  if (version != kVersion) return malformed(reader.path("version") + " must be 1");
  HEARSAY_TRY(const std::vector<std::uint8_t> id, bytes_member(reader, "id"));
  if (id.size() != kIdBytes) return malformed(reader.path("id") + " must have 16 bytes");
  HEARSAY_TRY(const std::uint64_t time, unsigned_member(reader, "time"));
  HEARSAY_TRY(std::vector<std::uint8_t> payload, bytes_member(reader, "payload"));
  if (payload.size() > kMaxPayloadBytes) return malformed(reader.path("payload") + " must have at most 2^20 bytes");
  return Report{id_from_bytes(id), time, std::move(payload)};
}

}  // namespace

std::string ReportId::to_string() const { return base64url_encode(bytes); }

void append_report(const Report& report, std::vector<std::uint8_t>& out) {
  std::array<std::uint8_t, 3 + kIdBytes + 2 * cbor::kMaxHeadBytes> front{};
  std::uint8_t* at = front.data();
  at += cbor::write_head(MajorType::kArray, kElements, at);
  at += cbor::write_head(MajorType::kUnsigned, kVersion, at);
  at += cbor::write_head(MajorType::kBytes, kIdBytes, at);
  at = std::copy(report.id.bytes.begin(), report.id.bytes.end(), at);
  at += cbor::write_head(MajorType::kUnsigned, report.time, at);
  at += cbor::write_head(MajorType::kBytes, report.payload.size(), at);
  out.insert(out.end(), front.data(), at);
  out.insert(out.end(), report.payload.begin(), report.payload.end());
}

Result<ReportView> read_report(std::span<const std::uint8_t>& rest) {
  std::span<const std::uint8_t> in = rest;
  if (cbor::read_head(MajorType::kArray, in) != kElements) return malformed("the report is not a CBOR array of 4");
  if (cbor::read_head(MajorType::kUnsigned, in) != kVersion) return malformed("the report's version is not 1");
  const bool sized = cbor::read_head(MajorType::kBytes, in) == kIdBytes;
  const auto id = sized ? take(in, kIdBytes) : std::nullopt;
  if (!id) return malformed("the report's id is not a byte string of 16 bytes");
  const auto time = cbor::read_head(MajorType::kUnsigned, in);
  if (!time) return malformed("the report's time is not an unsigned integer in shortest form");
  const auto size = cbor::read_head(MajorType::kBytes, in);
  if (!size) return malformed("the report's payload is not a byte string with its length in shortest form");
  if (*size > kMaxPayloadBytes) return malformed("the report's payload has more than 2^20 bytes");
  const auto payload = take(in, *size);
  if (!payload) return malformed("the report's payload is cut off");
  rest = in;
  return ReportView{id_from_bytes(*id), *time, *payload};
}

Result<Report> report_from_json(const Json& json) {
  auto report = from_json(json);
  if (!report) return malformed(report.error().message);
  return report;
}

}  // namespace hearsay
