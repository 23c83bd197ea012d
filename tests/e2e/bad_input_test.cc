// Sends bad tasks, reports, queries and HTTP requests to a running aggregator. Each gets its documented error, and the
// tally does not change.
#include <doctest/doctest.h>

#include "common/base/strict_json.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/golden.h"

namespace hearsay::e2e {
namespace {

struct Sample {
  std::string name;
  std::string expected;  // the error's name, before the first "--" of the file name
  std::string body;
};

std::vector<Sample> corpus(const std::string& kind) {
  std::vector<Sample> samples;
  for (const auto& entry : std::filesystem::directory_iterator(tests::tests_directory() / "fuzz/corpus" / kind)) {
    const std::string name = entry.path().filename();
    samples.push_back({name, name.substr(0, name.find("--")), tests::read_file(entry.path())});
  }
  return samples;
}

// An aggregator with a task and a few reports. The destructor checks that the tally is unchanged.
struct Fixture {
  Aggregator aggregator;
  Task task = tests::small_task("b b c3 r4");
  std::string before;
  int samples = 0;

  Fixture() {
    aggregator.create(task);
    for (int i = 0; i < 5; ++i) CHECK(aggregator.call("POST", reports(), valid(), "", kCbor).status == 200);
    before = aggregator.tally(task);
  }
  ~Fixture() { CHECK(aggregator.tally(task) == before); }

  std::string reports() const { return path_of(task, "/reports"); }

  Report valid_report() {
    const Record record = Record::create(task.schema(), {1, 0, 2, 3}).value();
    return randomize(task, record, aggregator.clock.now(), system_bit_source()).value();
  }
  static std::string encode(const Report& report) {
    std::vector<std::uint8_t> bytes;
    append_report(report, bytes);
    return {bytes.begin(), bytes.end()};
  }
  std::string valid() { return encode(valid_report()); }

  void expect(const Reply& reply, const std::string& name) {
    ++samples;
    CHECK(reply.status >= 400);
    CHECK(problem_name(reply) == name);
    CHECK(reply.field("content-type") == "application/problem+json");
  }
};

TEST_CASE_FIXTURE(Fixture, "the aggregator refuses malformed tasks") {
  for (const Sample& sample : corpus("task")) {
    if (sample.expected == "ok") continue;
    CAPTURE(sample.name);
    expect(aggregator.call("POST", "/v1/tasks", sample.body, kAdminToken), sample.expected);
  }
  CHECK(samples >= 70);
  const Json tasks = parse_json(aggregator.call("GET", "/v1/tasks", "", kAdminToken).body).value();
  CHECK(tasks.at("tasks").size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "the aggregator refuses malformed reports") {
  for (const Sample& sample : corpus("report")) {
    if (sample.expected != "report_malformed" && sample.expected != "malformed_json") continue;
    if (sample.name.ends_with("--array.json")) continue;  // not a report, but a valid upload: a JSON array of reports
    CAPTURE(sample.name);
    const std::string_view type = sample.name.ends_with(".json") ? kJson : kCbor;
    expect(aggregator.call("POST", reports(), sample.body, "", type), "report_malformed");
  }
  CHECK(samples >= 50);
}

TEST_CASE_FIXTURE(Fixture, "the aggregator refuses well-formed reports that no honest client of the task sends") {
  const auto post = [&](const Report& report) { return aggregator.call("POST", reports(), encode(report), "", kCbor); };
  Report report = valid_report();
  report.payload.pop_back();
  expect(post(report), "report_wrong_size");
  report.payload.clear();
  expect(post(report), "report_wrong_size");
  report = valid_report();
  report.payload.push_back(0);
  expect(post(report), "report_wrong_size");
  report = valid_report();
  report.payload.assign(report.payload.size(), 0xff);
  expect(post(report), "report_out_of_bounds");
  report = valid_report();
  ++report.time;
  expect(post(report), "report_time_invalid");
  report = valid_report();
  report.time += tests::kDay;
  expect(post(report), "report_too_early");
  report.time = task.spec().task_start - tests::kDay;
  expect(post(report), "report_time_invalid");
  report.time = task.end();
  expect(post(report), "task_expired");
  report.time = task.spec().task_start * 1000;  // milliseconds
  expect(post(report), "report_time_invalid");
  report.time = ~UnixSeconds{0};
  expect(post(report), "report_time_invalid");
}

TEST_CASE("the same id with other bytes is a conflict, alone and inside a batch, and the first report stays") {
  Fixture fixture;
  const Report first = fixture.valid_report();
  CHECK(fixture.aggregator.call("POST", fixture.reports(), Fixture::encode(first), "", kCbor).status == 200);
  fixture.before = fixture.aggregator.tally(fixture.task);
  Report other = fixture.valid_report();
  other.id = first.id;
  const Reply refused = fixture.aggregator.call("POST", fixture.reports(), Fixture::encode(other), "", kCbor);
  CHECK(refused.status == 409);
  CHECK(problem_name(refused) == "report_conflict");

  const Reply batch =
      fixture.aggregator.call("POST", fixture.reports(), Fixture::encode(first) + Fixture::encode(other), "", kCbor);
  CHECK(batch.status == 200);
  const Json outcomes = parse_json(batch.body).value();
  CHECK(outcomes.at("accepted") == 0);
  CHECK(outcomes.at("replayed") == 1);
  CHECK(outcomes.at("rejected") == 1);
  CHECK(outcomes.at("outcomes") == "rA");
  CHECK(outcomes.at("reasons").at("A").at("type") == "urn:hearsay:error:report_conflict");
}

TEST_CASE_FIXTURE(Fixture, "the aggregator refuses uploads of the wrong kind") {
  expect(aggregator.call("POST", reports(), valid(), "", "application/cbor"), "unsupported_media_type");
  expect(aggregator.call("POST", reports(), valid(), "", "text/plain"), "unsupported_media_type");
  expect(aggregator.call("POST", reports(), valid(), "", ""), "unsupported_media_type");
  expect(aggregator.call("POST", reports(), "", "", kCbor), "report_malformed");
  expect(aggregator.call("POST", reports(), valid(), "", kJson), "report_malformed");
  expect(aggregator.call("POST", reports(), valid() + "x", "", kCbor), "report_malformed");
  expect(aggregator.call("POST", reports(), valid().substr(1), "", kCbor), "report_malformed");
  expect(aggregator.call("POST", reports(), std::string(200'000, '['), "", kJson), "report_malformed");
  expect(aggregator.call("POST", reports(), "[]", "", kJson), "report_malformed");
  expect(aggregator.call("POST", reports(), "null", "", kJson), "report_malformed");
}

TEST_CASE_FIXTURE(Fixture, "the aggregator refuses bad estimate requests") {
  const auto post = [&](const std::string& body) {
    return aggregator.call("POST", path_of(task, "/estimates"), body, kAnalystToken);
  };
  const std::vector<std::pair<const char*, const char*>> cases{
      {"", "malformed_json"},
      {"{", "malformed_json"},
      {"{} {}", "malformed_json"},
      {R"({"queries": ["a0"], "queries": ["a0"]})", "malformed_json"},
      {R"({"queries": ["a0"], "confidence": NaN})", "malformed_json"},
      {R"({"queries": ["a0"], "confidence": 1e999})", "malformed_json"},
      {"\xef\xbb\xbf{\"queries\": [\"a0\"]}", "malformed_json"},
      {"{\"queries\": [\"\xff\"]}", "malformed_json"},
      {"[]", "wrong_type"},
      {"\"a0\"", "wrong_type"},
      {R"({"queries": "a0"})", "wrong_type"},
      {R"({"queries": [1]})", "wrong_type"},
      {R"({"queries": ["a0"], "confidence": "0.95"})", "wrong_type"},
      {R"({"queries": ["a0"], "confidence": null})", "wrong_type"},
      {R"({"queries": ["a0"], "from": true})", "wrong_type"},
      {R"({"queries": ["a0"], "from": 0.5})", "wrong_type"},
      {"{}", "missing_key"},
      {R"({"confidence": 0.9})", "missing_key"},
      {R"({"queries": ["a0"], "question": 1})", "unknown_key"},
      {R"({"Queries": ["a0"]})", "unknown_key"},
      {R"({"queries": []})", "limit_exceeded"},
      {R"({"queries": ["a0"], "confidence": 0})", "invalid_argument"},
      {R"({"queries": ["a0"], "confidence": 1})", "invalid_argument"},
      {R"({"queries": ["a0"], "confidence": -0.5})", "invalid_argument"},
      {R"({"queries": ["a0"], "confidence": 2})", "invalid_argument"},
      {R"({"queries": ["a0"], "from": -86400})", "invalid_argument"},
      {R"({"queries": ["a0"], "from": 1})", "invalid_argument"},
      {R"({"queries": ["a0"], "from": "soon"})", "invalid_argument"},
      {R"({"queries": ["a0"], "to": "2026-13-01"})", "invalid_argument"},
      {R"({"queries": ["a0"], "to": 86401})", "invalid_argument"},
      {R"({"queries": ["a0"], "to": 18446744073709551615})", "invalid_argument"},
  };
  for (const auto& sample : cases) {
    CAPTURE(sample.first);
    expect(post(sample.first), sample.second);
  }
  expect(post("{\"queries\": " + std::string(100'000, '[') + "}"), "limit_exceeded");
}

TEST_CASE_FIXTURE(Fixture, "a query that cannot be answered gets an error, and the other queries get answers") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "query_syntax"},
      {"a0 and", "query_syntax"},
      {"a0 a1", "query_syntax"},
      {"(a0", "query_syntax"},
      {"a0)", "query_syntax"},
      {"not", "query_syntax"},
      {"a2 in {", "query_syntax"},
      {"at_least(1)", "query_syntax"},
      {"decision_list(a0: yes)", "query_syntax"},
      {"decision_list(a0: maybe, else: no)", "query_syntax"},
      {"a0; drop table reports", "query_syntax"},
      {"a0 & a1", "query_syntax"},
      {"99999999999999999999 * a0 >= 1", "query_too_large"},
      {"nobody", "unknown_attribute"},
      {"a0 and nobody", "unknown_attribute"},
      {"A0", "unknown_attribute"},
      {"a2 = v9", "unknown_value"},
      {"a2 in {v0, v9}", "unknown_value"},
      {std::string(300, '(') + "a0" + std::string(300, ')'), "query_too_large"},
      {std::string(70'000, ' ') + "a0", "query_too_large"},
      {"(a0 and not a1) or (a1 and not a0)", "query_not_visible"},
  };
  Json queries = Json::array();
  for (const auto& [text, expected] : cases) queries.push_back(text);
  queries.push_back("a0");
  const Reply reply =
      aggregator.call("POST", path_of(task, "/estimates"), Json{{"queries", queries}}.dump(), kAnalystToken);
  REQUIRE(reply.status == 200);
  const Json answers = parse_json(reply.body).value().at("estimates");
  REQUIRE(answers.size() == cases.size() + 1);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i].first.substr(0, 80));
    REQUIRE(answers[i].contains("error"));
    CHECK(answers[i].at("error").at("type").get<std::string>() == "urn:hearsay:error:" + cases[i].second);
  }
  CHECK(answers.back().contains("value"));
}

TEST_CASE_FIXTURE(Fixture, "the aggregator refuses requests that are no HTTP, or that can be read in two ways") {
  const std::string body = valid();
  const std::string line = "POST " + reports() + " HTTP/1.1\r\n";
  const std::string host = "Host: localhost\r\n";
  const std::string type = "Content-Type: " + std::string(kCbor) + "\r\n";
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  const std::vector<std::string> requests{
      "\x16\x03\x01 garbage\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
      "GET / HTTP/1.1\r\nHost localhost\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /% HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET / HTTP/1.1\nHost: localhost\n\n",
      line + host + type + length + length.substr(0, length.size() - 2) + "0\r\n\r\n" + body,
      line + host + type + length + "Transfer-Encoding: chunked\r\n\r\n" + body,
      line + host + type + "Content-Length: -1\r\n\r\n" + body,
      line + host + type + "Content-Length: 1e3\r\n\r\n" + body,
      line + host + type + "Content-Length: 99999999999999999999\r\n\r\n" + body,
      line + host + type + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n" + body,
      line + host + type + "Transfer-Encoding: gzip\r\n\r\n" + body,
      line + host + "Content-Type : text/plain\r\n" + length + "\r\n" + body,
      line + host + " folded: header\r\n" + length + "\r\n" + body,
  };
  for (const std::string& request : requests) {
    CAPTURE(request.substr(0, 200));
    http::TestClient client(aggregator.daemon->port(), http::TestClient::Tls::kAny);
    REQUIRE(client.ready());
    REQUIRE(client.send(request));
    const auto reply = client.read();
    REQUIRE(reply);
    CHECK(reply->status >= 400);
    // 501: the server does not support this transfer coding of HTTP/1.1.
    CHECK((reply->status < 500 || reply->status == 501));
    CHECK(!problem_name(*reply).empty());
  }
}

TEST_CASE_FIXTURE(Fixture, "the aggregator refuses a body beyond the limit before it reads the body") {
  http::TestClient client(aggregator.daemon->port(), http::TestClient::Tls::kAny);
  REQUIRE(client.send("POST " + reports() + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + std::string(kCbor) +
                      "\r\nContent-Length: 1000000000\r\n\r\n"));
  const auto reply = client.read();
  REQUIRE(reply);
  CHECK(reply->status == 413);
  CHECK(problem_name(*reply) == "body_too_large");
}

}  // namespace
}  // namespace hearsay::e2e
