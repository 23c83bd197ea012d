#include "sdk/upload/verdict.h"

#include <doctest/doctest.h>

#include "common/report/report.h"
#include "hearsay/outbox.h"
#include "tests/support/scripted_transport.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::answer;

constexpr std::uint64_t kServerTime = 1'700'000'000;
const std::string kNow = R"(, "now": 1700000000)";
const RetryPolicy kPolicy{5, milliseconds(100), milliseconds(60'000), seconds(3600)};

TransportResponse refusal_of(unsigned status, const std::string& name, const std::string& more = "") {
  return answer(status, R"({"type": "urn:hearsay:error:)" + name + R"(", "detail": "…")" + more + "}");
}

// Returns a report from a device whose clock is off by `offset` seconds. The task has windows of one second.
ReportBytes report_off_by(std::int64_t offset) {
  ReportBytes bytes;
  append_report({{}, kServerTime + static_cast<std::uint64_t>(offset), {1}}, bytes);
  return bytes;
}

Verdict judge_one(const Result<TransportResponse>& response, std::int64_t offset = 0) {
  return judge(response, kPolicy, report_off_by(offset), false);
}

TEST_CASE("any 2xx is success") {
  for (const unsigned status : {200U, 201U, 202U, 204U, 299U}) {
    CHECK(judge_one(answer(status)).action == Action::kSettle);
    CHECK(judge_one(answer(status, "<html>")).action == Action::kSettle);
  }
}

TEST_CASE(
    "the problem's name decides about a refusal for good, and an answer without a name says nothing about the report") {
  struct Case {
    TransportResponse response;
    Action action;
  };
  std::vector<Case> cases{{refusal_of(401, "unauthorized"), Action::kStop},
                          {refusal_of(403, "forbidden"), Action::kStop},
                          {refusal_of(415, "unsupported_media_type"), Action::kStop},
                          {refusal_of(407, "report_expired"), Action::kStop},
                          {refusal_of(431, "limit_exceeded"), Action::kStop},
                          {refusal_of(451, "task_closed"), Action::kStop},
                          {refusal_of(404, "report_expired"), Action::kKeep},
                          {refusal_of(404, "task_closed"), Action::kKeep},
                          {refusal_of(410, "unrecognizedTask"), Action::kKeep},
                          {refusal_of(422, "report_malformed"), Action::kKeep},
                          {refusal_of(409, "report_too_early", kNow), Action::kKeep},
                          {answer(410, R"({"type": "about:blank"})"), Action::kStop},
                          {answer(404, R"({"type": "urn:other:error:unrecognizedTask"})"), Action::kStop},
                          {answer(404, R"({"type": "unrecognizedTask"})"), Action::kStop},
                          {answer(400, R"({"type": "https://example.org/x:limit_exceeded"})"), Action::kStop},
                          {refusal_of(404, "not_found"), Action::kKeep},
                          {refusal_of(400, "report_too_early"), Action::kKeep},
                          {answer(413, "<html>too large</html>"), Action::kKeep},
                          {answer(404, "<html>captive portal</html>"), Action::kStop},
                          {answer(301), Action::kStop},
                          {refusal_of(302, "report_expired"), Action::kStop},
                          {answer(410, "report_expired"), Action::kStop},
                          {refusal_of(410, "task_expired"), Action::kCloseTask},
                          {refusal_of(410, "task_closed"), Action::kCloseTask},
                          {refusal_of(404, "unrecognizedTask"), Action::kCloseTask}};
  for (const char* name :
       {"report_malformed", "report_wrong_size", "report_out_of_bounds", "report_time_invalid", "limit_exceeded"}) {
    cases.push_back({refusal_of(400, name), Action::kDrop});
  }
  cases.push_back({refusal_of(409, "report_conflict"), Action::kDrop});
  cases.push_back({refusal_of(410, "report_expired"), Action::kDrop});
  cases.push_back({refusal_of(413, "body_too_large"), Action::kDrop});
  for (const Case& c : cases) {
    CAPTURE(c.response.body);
    const Verdict verdict = judge_one(c.response);
    CHECK(verdict.action == c.action);
    REQUIRE(verdict.error);
    CHECK(verdict.error->code == ErrorCode::kServerRefused);
  }
  CHECK(judge_one(refusal_of(409, "report_conflict")).error->message.find("report_conflict") != std::string::npos);
}

TEST_CASE("if no answer came and the network may be the cause, the request is sent again") {
  CHECK(judge_one(Error{ErrorCode::kConnectionFailed, ""}).action == Action::kRetry);
  CHECK(judge_one(Error{ErrorCode::kTimedOut, ""}).action == Action::kRetry);
  for (const ErrorCode code : {ErrorCode::kTlsFailed, ErrorCode::kCancelled, ErrorCode::kIo}) {
    const Verdict verdict = judge_one(Error{code, "why"});
    CHECK(verdict.action == Action::kStop);
    CHECK(verdict.error->code == code);
  }
}

TEST_CASE("Retry-After counts if trying again helps, up to its cap") {
  for (const unsigned status : {408U, 429U, 500U, 503U}) {
    auto busy = answer(status);
    CHECK(judge_one(busy).action == Action::kRetry);
    CHECK_FALSE(judge_one(busy).retry_after);
    busy.retry_after = seconds(90);
    CHECK(judge_one(busy).retry_after == seconds(90));
    CHECK(judge_one(busy).at_least == seconds(90));
    busy.retry_after = seconds(86'400);
    CHECK(judge_one(busy).retry_after == seconds(3600));
  }
  auto refused = refusal_of(400, "report_conflict");
  refused.retry_after = seconds(5);
  CHECK_FALSE(judge_one(refused).retry_after);
}

TEST_CASE("a report of the near future waits, and a report of the far future is dropped, with exact bounds") {
  const auto early = refusal_of(400, "report_too_early", kNow);
  CHECK(judge_one(early, 60).action == Action::kRetry);
  CHECK(judge_one(early, 60).at_least == seconds(60));
  CHECK(judge_one(early, 61).action == Action::kKeep);
  CHECK(judge_one(early, 2 * 86'400).action == Action::kKeep);
  CHECK(judge_one(early, 2 * 86'400 + 1).action == Action::kDrop);
  CHECK(judge_one(early, 366 * 86'400).action == Action::kDrop);
}

TEST_CASE("if a request with several reports is refused, the client must find out which report is at fault") {
  const ReportBytes reports = report_off_by(0);
  const auto judge_several = [&](const TransportResponse& response) {
    return judge(response, kPolicy, reports, true).action;
  };
  CHECK(judge_several(answer(204)) == Action::kSettle);
  CHECK(judge_several(answer(200, R"({"accepted": 2, "rejected": 0})")) == Action::kSettle);
  CHECK(judge_several(answer(200, R"({"accepted": 1, "rejected": 1})")) == Action::kSeparate);
  CHECK(judge_several(answer(202, "thanks")) == Action::kSettle);
  for (const char* name : {"report_conflict", "task_closed", "report_too_early", "report_malformed", "unheard_of"}) {
    CHECK(judge_several(refusal_of(422, name)) == Action::kSeparate);
  }
  CHECK(judge_several(answer(413)) == Action::kHalve);
  CHECK(judge_several(refusal_of(413, "body_too_large")) == Action::kHalve);
  CHECK(judge_several(answer(404)) == Action::kStop);
  CHECK(judge_several(refusal_of(401, "unauthorized")) == Action::kStop);
  CHECK(judge_several(refusal_of(431, "limit_exceeded")) == Action::kStop);
  CHECK(judge_several(answer(503)) == Action::kRetry);
}

}  // namespace
}  // namespace hearsay::sdk
