#include <doctest/doctest.h>

#include "common/report/report.h"
#include "sdk/upload/uploader.h"
#include "tests/support/bit_sources.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;
using tests::answer;

struct UploadFixture {
  tests::ScriptedTransport transport;
  tests::ManualClock clock{0};
  tests::CounterBitSource bits{"jitter"};
  RetryPolicy policy{5, milliseconds(100), milliseconds(1000)};
  TaskId task = tests::small_task("b").id();
  std::vector<std::uint8_t> report{1, 2, 3};

  UploadOutcome send() { return upload(transport, clock, bits, policy, task, report); }
};

TEST_CASE_FIXTURE(UploadFixture, "any 2xx is success and ends it") {
  for (const unsigned status : {200U, 201U, 204U, 299U}) {
    transport.script = {answer(status)};
    CHECK(send());
  }
  CHECK(transport.requests.size() == 4);
  CHECK(transport.requests[0].path == "/v1/tasks/" + task.to_string() + "/reports");
  CHECK(transport.requests[0].content_type == "application/vnd.hearsay.reports+cbor-seq");
  CHECK(clock.sleeps().empty());
}

TEST_CASE_FIXTURE(UploadFixture, "a lost answer is followed by the identical bytes") {
  transport.script = {Error{ErrorCode::kConnectionFailed, ""}, Error{ErrorCode::kTimedOut, ""}, answer(503),
                      answer(429), answer(200)};
  CHECK(send());
  REQUIRE(transport.requests.size() == 5);
  for (const auto& request : transport.requests) CHECK(request.body == report);
}

TEST_CASE_FIXTURE(UploadFixture, "delays double up to the largest, each within its upper half") {
  policy.max_attempts = 7;
  transport.script.assign(7, answer(500));
  const auto sent = send();
  REQUIRE(!sent);
  CHECK(sent.error->code == ErrorCode::kServerRefused);
  const std::vector<int> nominal{100, 200, 400, 800, 1000, 1000};
  REQUIRE(clock.sleeps().size() == nominal.size());
  for (std::size_t i = 0; i < nominal.size(); ++i) {
    CHECK(clock.sleeps()[i].count() >= nominal[i] / 2);
    CHECK(clock.sleeps()[i].count() <= nominal[i]);
  }
}

TEST_CASE_FIXTURE(UploadFixture, "Retry-After is honoured, up to the largest delay") {
  policy.largest = milliseconds(5000);
  auto busy = answer(503);
  busy.retry_after = std::chrono::seconds(3);
  auto very_busy = answer(503);
  very_busy.retry_after = std::chrono::seconds(86'400);
  transport.script = {busy, very_busy, answer(200)};
  CHECK(send());
  // The jittered delays, of 100 and 200 ms, come on top.
  REQUIRE(clock.sleeps().size() == 2);
  CHECK(clock.sleeps()[0] >= milliseconds(3050));
  CHECK(clock.sleeps()[0] <= milliseconds(3100));
  CHECK(clock.sleeps()[1] >= milliseconds(5100));
  CHECK(clock.sleeps()[1] <= milliseconds(5200));
}

TransportResponse problem(unsigned status, const std::string& name, const std::string& more = "") {
  return answer(status, R"({"type": "urn:hearsay:error:)" + name + R"(", "detail": "…")" + more + "}");
}

TEST_CASE_FIXTURE(UploadFixture,
                  "what trying again cannot mend ends at once, and only what is final by name drops the report") {
  struct Case {
    TransportResponse response;
    Fate fate;
  };
  std::vector<Case> cases{{problem(401, "unauthorized"), Fate::kPending},
                          {problem(403, "forbidden"), Fate::kPending},
                          {problem(415, "unsupported_media_type"), Fate::kPending},
                          {problem(404, "not_found"), Fate::kPending},
                          {problem(400, "report_too_early"), Fate::kPending},
                          {answer(404, "<html>captive portal</html>"), Fate::kPending},
                          {answer(301), Fate::kPending},
                          {answer(410, "report_expired"), Fate::kPending}};
  for (const char* name :
       {"report_malformed", "report_wrong_size", "report_out_of_bounds", "report_time_invalid", "report_conflict",
        "report_expired", "task_expired", "task_closed", "unrecognizedTask", "body_too_large", "limit_exceeded"}) {
    cases.push_back({problem(400, name), Fate::kDropped});
  }
  for (const Case& c : cases) {
    CAPTURE(c.response.body);
    transport.requests.clear();
    transport.script = {c.response};
    const auto sent = send();
    CHECK(sent.fate == c.fate);
    REQUIRE(sent.error);
    CHECK(sent.error->code == ErrorCode::kServerRefused);
    CHECK(transport.requests.size() == 1);
  }
  transport.script = {problem(409, "report_conflict")};
  CHECK(send().error->message.find("report_conflict") != std::string::npos);
  transport.script = {Error{ErrorCode::kTlsFailed, "bad certificate"}};
  const auto sent = send();
  CHECK(sent.fate == Fate::kPending);
  REQUIRE(sent.error);
  CHECK(sent.error->code == ErrorCode::kTlsFailed);
  CHECK(clock.sleeps().empty());
}

constexpr std::uint64_t kServerTime = 1'700'000'000;

// A report of a device whose clock is off by so many seconds, in a task with windows of a second.
std::vector<std::uint8_t> report_off_by(std::int64_t seconds) {
  std::vector<std::uint8_t> bytes;
  append_report({{}, kServerTime + static_cast<std::uint64_t>(seconds), {1}}, bytes);
  return bytes;
}

const std::string kNow = R"(, "now": 1700000000)";

TEST_CASE_FIXTURE(UploadFixture, "a clock one minute ahead: the same bytes again when their time has come") {
  policy.largest = milliseconds(60'000);
  report = report_off_by(60);
  transport.script = {problem(400, "report_too_early", kNow), answer(204)};
  CHECK(send());
  REQUIRE(transport.requests.size() == 2);
  CHECK(transport.requests[0].body == report);
  CHECK(transport.requests[1].body == report);
  REQUIRE(clock.sleeps().size() == 1);
  CHECK(clock.sleeps()[0] >= milliseconds(60'050));
  CHECK(clock.sleeps()[0] <= milliseconds(60'100));
  // Not for ever: the attempts are bounded.
  transport.requests.clear();
  transport.script.assign(10, problem(400, "report_too_early", kNow));
  CHECK(send().fate == Fate::kPending);
  CHECK(transport.requests.size() == policy.max_attempts);
}

TEST_CASE_FIXTURE(UploadFixture, "a clock one day ahead: pending, and nobody waits for it") {
  report = report_off_by(86'400);
  transport.script = {problem(400, "report_too_early", kNow)};
  CHECK(send().fate == Fate::kPending);
  CHECK(transport.requests.size() == 1);
  CHECK(clock.sleeps().empty());
}

TEST_CASE_FIXTURE(UploadFixture, "the bound of being ahead is exact; a year ahead is dropped") {
  const std::vector<std::pair<std::int64_t, Fate>> cases{
      {2 * 86'400, Fate::kPending}, {2 * 86'400 + 1, Fate::kDropped}, {366 * 86'400, Fate::kDropped}};
  for (const auto& sample : cases) {
    CAPTURE(sample.first);
    report = report_off_by(sample.first);
    transport.script = {problem(400, "report_too_early", kNow)};
    CHECK(send().fate == sample.second);
  }
  CHECK(clock.sleeps().empty());
}

TEST_CASE_FIXTURE(UploadFixture, "a clock one year behind: the server names it, and the report is dropped") {
  report = report_off_by(-365 * 86'400);
  transport.script = {problem(410, "report_expired", kNow)};
  CHECK(send().fate == Fate::kDropped);
  CHECK(transport.requests.size() == 1);
  CHECK(clock.sleeps().empty());
}

TEST_CASE_FIXTURE(UploadFixture, "the last error is what remains after all attempts") {
  transport.script = {answer(503), answer(503), answer(503), answer(503), Error{ErrorCode::kTimedOut, "late"}};
  const auto sent = send();
  REQUIRE(!sent);
  CHECK(sent.error->code == ErrorCode::kTimedOut);
  CHECK(transport.requests.size() == 5);
  CHECK(clock.sleeps().size() == 4);
}

}  // namespace
}  // namespace hearsay::sdk
