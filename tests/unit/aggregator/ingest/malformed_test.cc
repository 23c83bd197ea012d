// Tests bodies that no honest client sends. Each body gets its error, and the tallies stay unchanged, byte for byte.
#include <functional>

#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "tests/support/report_json.h"
#include "tests/unit/aggregator/ingest/ingest_fixture.h"

namespace hearsay::ingest {
namespace {

constexpr std::string_view kJson = "application/json";

struct Case {
  std::string name;
  std::string body;
  std::string expected;  // the outcome of the last report, or of the whole body
  std::string_view media_type = kReportsMediaType;
};

using namespace std::string_literals;  // NOLINT: bodies with zero bytes

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// Makes a CBOR report from its parts in hexadecimal. The default parts give a valid report.
struct Parts {
  std::string array = "84";
  std::string version = "01";
  std::string id = "50000102030405060708090a0b0c0d0e0f";
  std::string time;
  std::string payload;

  explicit Parts(const Task& task) {
    std::vector<std::uint8_t> encoded;
    append_report(make_report(task, 77), encoded);
    const std::string hex = hex_encode(encoded);
    time = hex.substr(38, 10);  // 1a and four bytes, since kStart is between 2^16 and 2^32
    payload = hex.substr(48);
  }
  std::string body() const { return bytes_of(array + version + id + time + payload); }
};

void add_cbor(const Task& task, std::vector<Case>& cases) {
  const std::string malformed = "whole body: report_malformed";
  const std::string good = Parts(task).body();
  cases.push_back({"nothing", "", malformed});
  for (std::size_t size = 1; size < good.size(); ++size) {
    cases.push_back({"cut to " + std::to_string(size) + " bytes", good.substr(0, size), malformed});
    cases.push_back({"cut in the second report", good + good.substr(0, size), malformed});
  }
  const auto change = [&](const std::string& name, std::string Parts::*part, const std::string& hex) {
    Parts parts(task);
    parts.*part = hex;
    cases.push_back({name, parts.body(), malformed});
  };
  const Parts parts(task);
  change("array of 3", &Parts::array, "83");
  change("array of 5", &Parts::array, "85");
  change("array of 4, longer head", &Parts::array, "9804");
  change("indefinite array", &Parts::array, "9f");
  change("map", &Parts::array, "a4");
  change("tagged", &Parts::array, "c184");
  change("self-described", &Parts::array, "d9d9f784");
  change("array within an array", &Parts::array, "8184");
  change("text instead of an array", &Parts::array, "64");
  change("version 0", &Parts::version, "00");
  change("version 2", &Parts::version, "02");
  change("version 1, longer head", &Parts::version, "1801");
  change("version -1", &Parts::version, "20");
  change("version true", &Parts::version, "f5");
  change("version 1.0", &Parts::version, "f93c00");
  change("id of 15 bytes", &Parts::id, "4f000102030405060708090a0b0c0d0e");
  change("id of 17 bytes", &Parts::id, "51000102030405060708090a0b0c0d0e0f10");
  change("id as text", &Parts::id, "7030303030303030303030303030303030");
  change("id of indefinite length", &Parts::id, "5f50000102030405060708090a0b0c0d0e0fff");
  change("id null", &Parts::id, "f6");
  change("id, longer head", &Parts::id, "5810000102030405060708090a0b0c0d0e0f");
  change("time negative", &Parts::time, "3a" + parts.time.substr(2));
  change("time in 8 bytes without need", &Parts::time, "1b00000000" + parts.time.substr(2));
  change("time as a float", &Parts::time, "fa" + parts.time.substr(2));
  change("time as a big number", &Parts::time, "c244" + parts.time.substr(2));
  change("time undefined", &Parts::time, "f7");
  change("reserved head", &Parts::time, "1c");
  change("payload as text", &Parts::payload, "6161");
  change("payload as an array", &Parts::payload,
         "84010203"
         "04");
  change("payload of indefinite length", &Parts::payload, "5f4100ff");
  change("payload longer than the body", &Parts::payload,
         "5a00010000"
         "00");
  change("payload of 2^64 - 1 bytes", &Parts::payload,
         "5bffffffffffffffff"
         "00");
  change("payload, longer head", &Parts::payload,
         "58"
         "04"
         "00000000");
  change("break behind the report", &Parts::payload, parts.payload + "ff");
  change("zero behind the report", &Parts::payload, parts.payload + "00");
  cases.push_back({"JSON under the wrong name", tests::report_to_json(make_report(task, 77)).dump(), malformed});
}

void add_json(const Task& task, std::vector<Case>& cases) {
  const std::string malformed = "whole body: report_malformed";
  const Json good = tests::report_to_json(make_report(task, 77));
  const std::string text = good.dump();
  const auto raw = [&](const std::string& name, const std::string& body) {
    cases.push_back({"JSON: " + name, body, malformed, kJson});
  };
  raw("nothing", "");
  raw("white space", " \n");
  raw("null", "null");
  raw("number", "1");
  raw("text", "\"" + good["id"].get<std::string>() + "\"");
  raw("no reports", "[]");
  raw("empty object", "{}");
  raw("array of an array", "[[" + text + "]]");
  raw("array with null", "[" + text + ",null]");
  raw("two documents", text + text);
  raw("trailing comma", "[" + text + ",]");
  raw("comment", "/* */" + text);
  raw("byte order mark", "\xef\xbb\xbf" + text);
  raw("cut", text.substr(0, text.size() - 1));
  raw("deep arrays", std::string(100'000, '['));
  raw("deep objects", [] {
    std::string deep;
    for (int i = 0; i < 50'000; ++i) deep += "{\"id\":";
    return deep;
  }());
  raw("zero byte", text + "\0"s);
  raw("duplicate member", text.substr(0, text.size() - 1) + ",\"version\":1}");
  raw("CBOR", Parts(task).body());
  const auto set = [&](const std::string& name, const std::string& member, const std::string& value) {
    std::string body = "{";
    for (const auto& [key, old] : good.items()) {
      body += (body.size() > 1 ? ",\"" : "\"") + key + "\":" + (key == member ? value : old.dump());
    }
    raw(name, body + "}");
  };
  set("version 2", "version", "2");
  set("version as text", "version", "\"1\"");
  set("version 1.0", "version", "1.0");
  set("id null", "id", "null");
  set("id of 15 bytes", "id", "\"AAECAwQFBgcICQoLDA0O\"");
  set("id with padding", "id", "\"AAECAwQFBgcICQoLDA0ODw==\"");
  set("id in the other alphabet", "id", "\"++ECAwQFBgcICQoLDA0ODw\"");
  set("id with unused bits", "id", "\"AAECAwQFBgcICQoLDA0ODx\"");
  set("id not UTF-8", "id", "\"\xff\xfe\"");
  set("time negative", "time", "-3600");
  set("time with a fraction", "time", "1699200000.5");
  set("time in scientific notation", "time", "1.6992e9");
  set("time as text", "time", "\"1699200000\"");
  set("time beyond 64 bits", "time", "18446744073709551616");
  set("time infinite", "time", "1e999");
  set("time NaN", "time", "NaN");
  set("payload a number", "payload", "7");
  set("payload in hexadecimal with spaces", "payload", "\"00 01\"");
  set("payload an array", "payload", "[0,1]");
  for (const std::string member : {"id", "payload", "time", "version"}) {
    Json without = good;
    without.erase(member);
    raw("no " + member, without.dump());
  }
  Json more = good;
  more["name"] = "x";
  raw("another member", more.dump());
  cases.push_back({"JSON: too large", "[" + std::string(kMaxJsonBody, ' ') + "]", "whole body: body_too_large", kJson});
}

void add_refused_reports(const Task& task, std::vector<Case>& cases) {
  const auto report = [&](const std::string& name, const std::string& expected,
                          const std::function<void(Report&)>& change) {
    Report changed = make_report(task, 77);
    change(changed);
    cases.push_back({name, cbor({changed}), expected});
    cases.push_back({name + ", in JSON", tests::report_to_json(changed).dump(), expected, kJson});
  };
  const std::string wrong_size = "report_wrong_size";
  report("payload empty", wrong_size, [](Report& r) { r.payload.clear(); });
  report("payload a byte short", wrong_size, [](Report& r) { r.payload.pop_back(); });
  report("payload a byte long", wrong_size, [](Report& r) { r.payload.push_back(0); });
  report("payload of 64 KiB", wrong_size, [](Report& r) { r.payload.resize(65'536); });
  const std::string out_of_bounds = "report_out_of_bounds";
  report("all bits set", out_of_bounds, [](Report& r) { std::fill(r.payload.begin(), r.payload.end(), 0xff); });
  const auto& channel = std::get<LaplaceChannel>(task.channel().kind());
  for (std::size_t j = 0; j < channel.coordinates(); ++j) {
    for (const std::int64_t sign : {1, -1}) {
      std::vector<std::int32_t> y(channel.coordinates(), 0);
      y[j] = static_cast<std::int32_t>(sign * (channel.bound(j) + 1));
      report("coordinate " + std::to_string(j) + (sign > 0 ? " above" : " below") + " its bound", out_of_bounds,
             [&](Report& r) { channel.pack(y, r.payload); });
    }
  }
  const std::string time_invalid = "report_time_invalid";
  report("a second late", time_invalid, [](Report& r) { r.time += 1; });
  report("a second early", time_invalid, [](Report& r) { r.time -= 1; });
  report("the last second there is", time_invalid, [](Report& r) { r.time = ~UnixSeconds{0}; });
  report("1970", time_invalid, [](Report& r) { r.time = 0; });
  report("before the start", time_invalid, [](Report& r) { r.time = kStart - kPrecision; });
  const std::string too_early = "report_too_early";
  report("a window ahead", too_early, [](Report& r) { r.time = kStart + 3 * kPrecision; });
  report("the task's last window", too_early, [](Report& r) { r.time = kStart + (kWindows - 1) * kPrecision; });
  report("milliseconds", time_invalid, [](Report& r) { r.time *= 1000; });
  report("the end of time", time_invalid, [](Report& r) { r.time = ~UnixSeconds{0} / kPrecision * kPrecision; });
  report("behind the end", "task_expired", [](Report& r) { r.time = kStart + kWindows * kPrecision; });
  const std::string conflict = "report_conflict";
  const Report known = make_report(task, 0);
  report("a known id with another payload", conflict, [&](Report& r) { r.id = known.id; });
}

TEST_CASE("malformed, impossible and conflicting reports get their errors and do not change the tallies") {
  IngestFixture f;
  REQUIRE(f.send(cbor(make_reports(f.task, 0, 10))) == Names(10, "accepted"));
  const auto state = [&] {
    std::string bytes;
    for (const auto& [window, tally] : window_tallies(*f.store, f.task))
      bytes += std::to_string(window) + ":" + tally.encode();
    return bytes;
  };
  const std::string before = state();

  std::vector<Case> cases;
  add_cbor(f.task, cases);
  add_json(f.task, cases);
  add_refused_reports(f.task, cases);
  for (const std::string_view type : {"", "text/plain", "application/cbor", "application/jsonx", "json",
                                      "application/vnd.hearsay.reports+cbor", "multipart/form-data; boundary=x"}) {
    cases.push_back({"media type " + std::string(type), cbor({make_report(f.task, 77)}),
                     "whole body: unsupported_media_type", type});
  }
  CHECK(cases.size() >= 150);

  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(f.send(c.body, c.media_type).back() == c.expected);
    CHECK(state() == before);
  }
  CHECK(verified_reports(*f.store) == 10);
  CHECK(f.send(Parts(f.task).body()) == Names{"accepted"});
}

TEST_CASE("the same id in another window is another report") {
  IngestFixture f;
  Report report = make_report(f.task, 0);
  CHECK(f.send(cbor({report})) == Names{"accepted"});
  report.time += kPrecision;
  CHECK(f.send(cbor({report})) == Names{"accepted"});
  CHECK(f.send(cbor({report})) == Names{"replayed"});
  CHECK(verified_reports(*f.store) == 2);
}

TEST_CASE("if the second report of a body is malformed, no report of the body counts") {
  IngestFixture f;
  const std::string good = cbor({make_report(f.task, 1)});
  CHECK(f.send(good + "\x84") == Names{"whole body: report_malformed"});
  CHECK(f.send(good) == Names{"accepted"});
}

TEST_CASE("the refusal of a report for its time says what the time must be") {
  const Task task = make_task();
  const std::string invalid = rejection_detail(ErrorCode::kReportTimeInvalid, task, kStart);
  CHECK(invalid.find("in seconds since 1970 (not milliseconds), a multiple of 3600,") != std::string::npos);
  CHECK(invalid.find(std::to_string(kStart)) != std::string::npos);
  const std::string expired = rejection_detail(ErrorCode::kTaskExpired, task, kStart);
  CHECK(expired.find("not before the task's end at " + std::to_string(task.end())) != std::string::npos);
}

TEST_CASE("errors contain no part of a payload") {
  IngestFixture f;
  Report report = make_report(f.task, 1);
  report.payload.assign(report.payload.size(), 0xff);
  CHECK(f.send(cbor({report})) == Names{"report_out_of_bounds"});
  const std::string message = rejection_detail(ErrorCode::kReportOutOfBounds, f.task, f.clock.now());
  CHECK_FALSE(message.empty());
  CHECK(message.find("ff") == std::string::npos);
  CHECK(message.find("255") == std::string::npos);
}

}  // namespace
}  // namespace hearsay::ingest
