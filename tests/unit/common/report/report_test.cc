#include "common/report/report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "cbor_oracle.h"
#include "common/base/strict_json.h"
#include "tests/support/bit_sources.h"
#include "tests/support/report_json.h"

namespace hearsay {
namespace {

Report report(UnixSeconds time, std::size_t payload_bytes) {
  Report made{.id = {}, .time = time, .payload = std::vector<std::uint8_t>(payload_bytes)};
  std::iota(made.id.bytes.begin(), made.id.bytes.end(), std::uint8_t{0xf0});
  std::iota(made.payload.begin(), made.payload.end(), std::uint8_t{0x79});
  return made;
}

std::vector<std::uint8_t> encode(const Report& from) {
  std::vector<std::uint8_t> bytes;
  append_report(from, bytes);
  return bytes;
}

// Returns the report that is encoded in the bytes. Returns nothing if the bytes are not exactly one report.
std::optional<Report> decode(std::span<const std::uint8_t> bytes) {
  const auto view = read_report(bytes);
  if (!view || !bytes.empty()) return std::nullopt;
  return Report{view->id, view->time, {view->payload.begin(), view->payload.end()}};
}

// The times at which the CBOR head changes its length, and the times before and after them.
const std::vector<UnixSeconds> kTimes = {0,
                                         1,
                                         22,
                                         23,
                                         24,
                                         25,
                                         254,
                                         255,
                                         256,
                                         257,
                                         65'534,
                                         65'535,
                                         65'536,
                                         65'537,
                                         1767225600,
                                         0xfffffffe,
                                         0xffffffff,
                                         0x100000000,
                                         0x100000001,
                                         ~UnixSeconds{0} - 1,
                                         ~UnixSeconds{0}};
const std::vector<std::size_t> kSizes = {0, 1, 22, 23, 24, 25, 254, 255, 256, 257, 65'535, 65'536, kMaxPayloadBytes};

TEST_CASE("nlohmann's library reads the encoding, and decoding inverts the encoding") {
  for (const UnixSeconds time : kTimes) {
    for (const std::size_t size : kSizes) {
      if (size > 300 && time != kTimes.front() && time != kTimes.back()) continue;
      CAPTURE(time);
      CAPTURE(size);
      const Report original = report(time, size);
      const auto bytes = encode(original);
      CHECK(bytes == tests::oracle_encode(original));
      CHECK(decode(bytes) == original);
    }
  }
}

TEST_CASE("a payload beyond 2^20 bytes is refused") {
  const auto bytes = encode(report(1, kMaxPayloadBytes + 1));
  std::span<const std::uint8_t> rest = bytes;
  const auto read = read_report(rest);
  REQUIRE_FALSE(read);
  CHECK(read.error().code == ErrorCode::kReportMalformed);
  CHECK(rest.size() == bytes.size());
}

TEST_CASE("reports of a sequence are read one by one, views point into the sequence, and a refused report stays") {
  const std::vector<Report> originals = {report(5, 3), report(1767225600, 40), report(24, 0)};
  std::vector<std::uint8_t> bytes;
  for (const Report& each : originals) append_report(each, bytes);
  bytes.push_back(0x84);
  std::span<const std::uint8_t> rest = bytes;
  for (const Report& each : originals) {
    const auto view = read_report(rest);
    REQUIRE(view);
    CHECK(view->id == each.id);
    CHECK(view->time == each.time);
    CHECK(std::equal(view->payload.begin(), view->payload.end(), each.payload.begin(), each.payload.end()));
    CHECK(view->payload.data() + view->payload.size() == rest.data());
  }
  CHECK_FALSE(read_report(rest));
  CHECK(rest.size() == 1);
  CHECK(rest.data() == bytes.data() + bytes.size() - 1);
}

// Encoding an accepted report gives the same bytes, and nlohmann's library reads the same report. All other bytes give
// kReportMalformed.
void check_one_encoding(std::span<const std::uint8_t> bytes, int& accepted) {
  std::span<const std::uint8_t> rest = bytes;
  const auto view = read_report(rest);
  if (!view) {
    if (view.error().code != ErrorCode::kReportMalformed || rest.size() != bytes.size()) FAIL_CHECK("wrong refusal");
    return;
  }
  ++accepted;
  const auto used = bytes.first(bytes.size() - rest.size());
  const Report read{view->id, view->time, {view->payload.begin(), view->payload.end()}};
  if (encode(read) != std::vector<std::uint8_t>(used.begin(), used.end())) FAIL_CHECK("a second encoding");
  if (tests::oracle_decode(used) != read) FAIL_CHECK("the oracle reads something else");
}

TEST_CASE("every change of one byte gives another report or a malformed report") {
  const std::vector<std::pair<UnixSeconds, std::size_t>> shapes = {{0, 0},    {23, 5},          {24, 23},
                                                                   {256, 24}, {1767225600, 30}, {0x100000000, 256}};
  for (const auto& shape : shapes) {
    const UnixSeconds time = shape.first;
    const std::size_t size = shape.second;
    CAPTURE(time);
    CAPTURE(size);
    const auto original = encode(report(time, size));
    int accepted = 0;
    for (std::size_t i = 0; i < original.size(); ++i) {
      auto changed = original;
      for (unsigned value = 0; value < 256; ++value) {
        changed[i] = static_cast<std::uint8_t>(value);
        check_one_encoding(changed, accepted);
      }
    }
    // Each byte of the id and of the payload may have any value. The first three bytes may not.
    const std::size_t free_bytes = 16 + size;
    CHECK(accepted >= static_cast<int>(256 * free_bytes));
    CHECK(accepted < static_cast<int>(256 * (original.size() - 3)));
  }
}

TEST_CASE("after every truncation, insertion or removal the bytes are malformed or begin with a canonical report") {
  const auto original = encode(report(1767225600, 30));
  int accepted = 0;
  for (std::size_t i = 0; i < original.size(); ++i) check_one_encoding({original.data(), i}, accepted);
  CHECK(accepted == 0);
  for (std::size_t i = 0; i < original.size(); ++i) {
    auto removed = original;
    removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(i));
    check_one_encoding(removed, accepted);
    for (unsigned value = 0; value < 256; ++value) {
      auto inserted = original;
      inserted.insert(inserted.begin() + static_cast<std::ptrdiff_t>(i), static_cast<std::uint8_t>(value));
      check_one_encoding(inserted, accepted);
    }
  }
}

TEST_CASE("random bytes after a report's beginning are refused, or read as nlohmann's library reads them") {
  tests::CounterBitSource bits("random bytes behind a report's beginning");
  const auto original = encode(report(1767225600, 30));
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = original;
    const std::size_t kept = 2 + bits.bits(5) % 20;
    for (std::size_t i = kept; i < bytes.size(); ++i) bytes[i] = bits.byte();
    check_one_encoding(bytes, accepted);
  }
  CHECK(accepted > 0);
}

TEST_CASE("an id's text is base64url without padding") {
  CHECK(ReportId{}.to_string() == std::string(22, 'A'));
  CHECK(report(0, 0).id.to_string() == "8PHy8_T19vf4-fr7_P3-_w");
}

TEST_CASE("the JSON form for people gives the same report") {
  for (const UnixSeconds time : kTimes) {
    const Report original = report(time, 20);
    const Json json = tests::report_to_json(original);
    const auto text = parse_json(json.dump());
    REQUIRE(text);
    const auto read = report_from_json(*text);
    REQUIRE_MESSAGE(read, read.error().message);
    CHECK(*read == original);
  }
  const Json json = tests::report_to_json(report(1767225600, 1));
  CHECK(json.dump() == R"({"id":"8PHy8_T19vf4-fr7_P3-_w","payload":"eQ","time":1767225600,"version":1})");
}

TEST_CASE("the JSON form may hold signed integers if it was built in memory") {
  Json json = tests::report_to_json(report(7, 1));
  json["time"] = std::int64_t{7};
  json["version"] = 1;
  REQUIRE(report_from_json(json));
  CHECK(report_from_json(json)->time == 7);
}

TEST_CASE("a malformed JSON form is refused, and the message names the part") {
  const Json good = tests::report_to_json(report(7, 2));
  REQUIRE(report_from_json(good));
  const auto refused = [](const Json& json, std::string_view part) {
    CAPTURE(json.dump());
    const auto read = report_from_json(json);
    REQUIRE_FALSE(read);
    CAPTURE(read.error().message);
    CHECK(read.error().code == ErrorCode::kReportMalformed);
    CHECK(read.error().message.find(part) != std::string::npos);
  };
  refused(Json::array({1, 2, 3}), "report");
  refused(Json(), "report");
  refused(Json::object(), "version");
  for (const char* key : {"id", "payload", "time", "version"}) {
    Json lacking = good;
    lacking.erase(key);
    refused(lacking, key);
    for (const Json& wrong : {Json(nullptr), Json(true), Json::array(), Json::object(), Json(1.5), Json(1.0)}) {
      Json changed = good;
      changed[key] = wrong;
      refused(changed, key);
    }
  }
  Json extra = good;
  extra["smoker"] = "x";
  refused(extra, "unknown key, number 3 in alphabetical order");
  CHECK(report_from_json(extra).error().message.find("smoker") == std::string::npos);
  const std::vector<std::pair<const char*, Json>> changes = {
      {"version", 0},
      {"version", 2},
      {"version", "1"},
      {"version", -1},
      {"time", -1},
      {"time", "7"},
      {"id", ""},
      {"id", "AAAA"},
      {"id", "8PHy8_T19vf4-fr7_P3-_w=="},
      {"id", "8PHy8/T19vf4+fr7/P3+/w"},
      {"id", "8PHy8_T19vf4-fr7_P3-_x"},
      {"id", 5},
      {"payload", "eQ=="},
      {"payload", "eR"},
      {"payload", "e"},
      {"payload", "e Q"},
      {"payload", 0},
      {"payload", std::string(((kMaxPayloadBytes + 1) * 4 + 2) / 3, 'A')}};
  for (const auto& [key, value] : changes) {
    Json changed = good;
    changed[key] = value;
    refused(changed, key);
  }
}

}  // namespace
}  // namespace hearsay
