#include "sdk/upload/uploader.h"

#include <doctest/doctest.h>

#include "common/report/report.h"
#include "tests/support/bit_sources.h"
#include "tests/support/fake_ledger.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::answer;

constexpr milliseconds kLong{10'000'000};

struct UploadFixture {
  Task task = tests::small_task("b");
  tests::ScriptedTransport transport;
  tests::FakeLedger ledger;
  tests::ManualClock clock{tests::kTaskStart};
  tests::CounterBitSource bits{"jitter"};
  RetryPolicy policy{5, milliseconds(100), milliseconds(1000)};
  Cancellation cancellation;
  std::optional<Uploader> uploader;

  UploadFixture() { ledger.payable = true; }

  // Puts `count` reports of `size` bytes into the outbox. Each report begins with its number.
  void make(std::size_t count, std::size_t size = 3) {
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(ledger.pay(task, clock.now(), [&]() -> Result<ReportBytes> {
        ReportBytes bytes(size, static_cast<std::uint8_t>(i));
        return bytes;
      }));
    }
  }

  FlushSummary flush(milliseconds deadline = kLong) {
    if (!uploader) uploader.emplace(ClientDependencies{transport, ledger, clock}, policy, task.id());
    const auto summary = uploader->flush(deadline, cancellation, bits);
    REQUIRE(summary);
    return *summary;
  }

  milliseconds waited() const {
    milliseconds sum{0};
    for (const milliseconds wait : clock.waits()) sum += wait;
    return sum;
  }
};

TransportResponse problem(unsigned status, const std::string& name, const std::string& more = "") {
  return answer(status, R"({"type": "urn:hearsay:error:)" + name + R"(")" + more + "}");
}

TEST_CASE_FIXTURE(UploadFixture, "with an empty outbox the uploader sends no request") {
  const FlushSummary summary = flush();
  CHECK(transport.requests.empty());
  CHECK_FALSE(summary.problem);
}

TEST_CASE_FIXTURE(UploadFixture,
                  "the oldest reports leave first, several in one request, up to limits of number and bytes") {
  make(kMaxReportsPerRequest + 1);
  transport.script = {answer(204), answer(204)};
  const FlushSummary summary = flush();
  CHECK(summary.delivered == kMaxReportsPerRequest + 1);
  CHECK(ledger.settle_calls == 2);  // one transaction for each request
  CHECK(summary.pending == 0);
  REQUIRE(transport.requests.size() == 2);
  CHECK(transport.requests[0].path == "/v1/tasks/" + task.id().to_string() + "/reports");
  CHECK(transport.requests[0].content_type == "application/vnd.hearsay.reports+cbor-seq");
  CHECK(transport.requests[0].body.size() == 3 * kMaxReportsPerRequest);
  CHECK(transport.requests[0].body[3] == 1);
  CHECK(transport.requests[1].body.size() == 3);
  CHECK(clock.waits().empty());

  make(3, kMaxBytesPerRequest / 2);
  make(1, kMaxBytesPerRequest + 1);
  transport.requests.clear();
  transport.script.assign(3, answer(204));
  CHECK(flush().delivered == 4);
  REQUIRE(transport.requests.size() == 3);
  CHECK(transport.requests[0].body.size() == kMaxBytesPerRequest);
  CHECK(transport.requests[1].body.size() == kMaxBytesPerRequest / 2);
  CHECK(transport.requests[2].body.size() == kMaxBytesPerRequest + 1);
}

TEST_CASE_FIXTURE(UploadFixture, "after a lost answer the identical bytes are sent again") {
  make(2);
  transport.script = {Error{ErrorCode::kConnectionFailed, ""}, Error{ErrorCode::kTimedOut, ""}, answer(503),
                      answer(429), answer(200)};
  CHECK(flush().delivered == 2);
  REQUIRE(transport.requests.size() == 5);
  for (const auto& request : transport.requests) CHECK(request.body == transport.requests[0].body);
}

TEST_CASE_FIXTURE(UploadFixture,
                  "waits double up to a limit, each is drawn from its upper half, and the attempts are limited") {
  make(1);
  policy.max_attempts = 7;
  transport.script.assign(7, answer(500));
  const FlushSummary summary = flush();
  CHECK(summary.pending == 1);
  REQUIRE(summary.problem);
  CHECK(summary.problem->code == ErrorCode::kServerRefused);
  const std::vector<int> nominal{100, 200, 400, 800, 1000, 1000};
  REQUIRE(clock.waits().size() == nominal.size());
  for (std::size_t i = 0; i < nominal.size(); ++i) {
    CHECK(clock.waits()[i].count() >= nominal[i] / 2);
    CHECK(clock.waits()[i].count() <= nominal[i]);
  }
}

TEST_CASE_FIXTURE(UploadFixture, "no exchange and no wait goes on after the deadline") {
  make(1);
  transport.script.assign(9, Error{ErrorCode::kTimedOut, "silence"});
  transport.before_answer = [this](const ExchangeLimits& limits) {
    clock.advance(std::min<milliseconds>(limits.timeout, milliseconds(450)));
  };
  const milliseconds before = clock.steady();
  const FlushSummary summary = flush(milliseconds(1000));
  CHECK(clock.steady() - before <= milliseconds(1000));
  CHECK(summary.pending == 1);
  CHECK(summary.problem->code == ErrorCode::kTimedOut);
  REQUIRE(transport.requests.size() == 2);  // the next wait would end after the deadline
  CHECK(transport.requests[0].timeout == milliseconds(1000));
  CHECK(transport.requests[1].timeout <= milliseconds(500));

  transport.requests.clear();
  CHECK(flush(milliseconds(0)).problem->code == ErrorCode::kTimedOut);
  CHECK(transport.requests.empty());
}

TEST_CASE_FIXTURE(UploadFixture, "Retry-After holds within a flush and for later flushes, up to its cap") {
  make(1);
  auto busy = answer(503);
  busy.retry_after = seconds(3);
  transport.script = {busy, answer(200)};
  CHECK(flush().delivered == 1);
  CHECK(waited() >= milliseconds(3050));  // Retry-After plus a random backoff
  CHECK(waited() <= milliseconds(3100));

  make(1);
  busy.retry_after = seconds(86'400);  // the cap is an hour
  transport.script = {busy, answer(200)};
  transport.requests.clear();
  CHECK(flush(seconds(60)).pending == 1);
  CHECK(transport.requests.size() == 1);
  clock.advance(seconds(3000));
  const FlushSummary early = flush(seconds(60));
  CHECK(early.pending == 1);
  REQUIRE(early.problem);
  CHECK(early.problem->code == ErrorCode::kServerRefused);
  CHECK(early.problem->message.find("pause") != std::string::npos);
  CHECK(transport.requests.size() == 1);
  CHECK(flush(seconds(700)).delivered == 1);
  CHECK(transport.requests.size() == 2);
}

TEST_CASE_FIXTURE(UploadFixture, "the number of uploads that begin in a minute is limited, also over several flushes") {
  policy.max_uploads_per_minute = 2;
  std::vector<milliseconds> begun;
  transport.before_answer = [&](const ExchangeLimits&) { begun.push_back(clock.steady()); };
  for (int i = 0; i < 5; ++i) {
    make(1);
    transport.script = {answer(204)};
    if (i > 0) clock.advance(seconds(5));
    CHECK(flush().delivered == 1);
  }
  REQUIRE(begun.size() == 5);
  for (std::size_t i = 2; i < 5; ++i) CHECK(begun[i] - begun[i - 2] >= seconds(60));
  make(1);
  const FlushSummary limited = flush(seconds(1));
  CHECK(limited.pending == 1);
  CHECK(limited.problem->code == ErrorCode::kLimitExceeded);
  CHECK(begun.size() == 5);
}

TEST_CASE_FIXTURE(UploadFixture, "the request for the time counts among the uploads of its minute") {
  policy.max_uploads_per_minute = 1;
  flush();  // makes the uploader
  uploader->ask_for_time();
  transport.script = {answer(200), answer(204)};
  flush();
  REQUIRE(transport.requests.size() == 1);
  make(1);
  CHECK(flush(seconds(1)).problem->code == ErrorCode::kLimitExceeded);
  CHECK(transport.requests.size() == 1);
}

TEST_CASE_FIXTURE(UploadFixture, "one refused report among several is found, dropped, counted and named in the log") {
  make(3);
  transport.script = {answer(200, R"({"accepted": 2, "rejected": 1, "outcomes": "aAa"})"), answer(204),
                      problem(409, "report_conflict"), answer(204)};
  const FlushSummary summary = flush();
  CHECK(summary.delivered == 2);
  CHECK(summary.dropped == 1);
  CHECK(summary.pending == 0);
  CHECK(summary.problem->message.find("report_conflict") != std::string::npos);
  REQUIRE(transport.requests.size() == 4);
  CHECK(transport.requests[2].body == ReportBytes{1, 1, 1});
  CHECK(ledger.reports()[1].state == ReportState::kDropped);
  CHECK(ledger.reports()[1].reason.find("report_conflict") != std::string::npos);
  make(2);
  transport.script = {answer(204)};
  CHECK(flush().delivered == 2);
}

TEST_CASE_FIXTURE(
    UploadFixture,
    "after a refused request its reports leave one by one, and the later reports of the flush leave together") {
  policy.max_uploads_per_minute = 1'000;
  make(kMaxReportsPerRequest + 2);
  transport.script.assign(1 + kMaxReportsPerRequest + 1, answer(204));
  transport.script.front() = problem(409, "report_conflict");
  CHECK(flush().delivered == kMaxReportsPerRequest + 2);
  CHECK(transport.requests.back().body.size() == 2 * 3);
}

TEST_CASE_FIXTURE(UploadFixture, "a report that must wait does not delay the others") {
  make(2);
  transport.script = {problem(422, "report_too_early"), problem(400, "report_too_early"), answer(204)};
  const FlushSummary summary = flush();
  CHECK(summary.delivered == 1);
  CHECK(summary.pending == 1);
  CHECK(summary.problem->message.find("report_too_early") != std::string::npos);
  CHECK(transport.requests.back().body == ReportBytes{1, 1, 1});
}

TEST_CASE_FIXTURE(
    UploadFixture,
    "after a 413 the next request has half of the reports, and a single report waits and delays no other") {
  make(5);
  const auto too_large = answer(413, "<html>too large</html>");
  transport.script = {too_large, answer(204), too_large, too_large, answer(204), answer(204)};
  const FlushSummary summary = flush();
  std::vector<std::string> sent;  // the numbers of the reports, request by request
  for (const auto& request : transport.requests) {
    sent.emplace_back();
    for (std::size_t i = 0; i < request.body.size(); i += 3) sent.back() += std::to_string(request.body[i]);
  }
  CHECK(sent == std::vector<std::string>{"01234", "01", "23", "2", "3", "4"});
  CHECK(summary.delivered == 4);
  CHECK(summary.dropped == 0);
  CHECK(summary.pending == 1);
  CHECK(summary.problem->code == ErrorCode::kServerRefused);
  transport.script = {answer(204)};
  CHECK(flush().delivered == 1);
}

TEST_CASE_FIXTURE(UploadFixture, "a report that is slightly too early leaves when its time has come") {
  REQUIRE(ledger.pay(task, clock.now(), [&]() -> Result<ReportBytes> {
    ReportBytes bytes;
    append_report({{}, 1'700'000'060, {1}}, bytes);
    return bytes;
  }));
  policy.largest = milliseconds(60'000);
  transport.script = {problem(400, "report_too_early", R"(, "now": 1700000000)"), answer(204)};
  CHECK(flush().delivered == 1);
  CHECK(transport.requests[1].body == transport.requests[0].body);
  CHECK(waited() >= milliseconds(60'050));
  CHECK(waited() <= milliseconds(60'100));
}

TEST_CASE_FIXTURE(UploadFixture, "if the task is closed, all its reports are dropped with the reason") {
  make(3);
  transport.script = {problem(422, "task_closed"), problem(410, "task_closed")};
  const FlushSummary summary = flush();
  CHECK(summary.dropped == 3);
  CHECK(ledger.settle_calls == 1);
  CHECK(summary.pending == 0);
  CHECK(transport.requests.size() == 2);
  for (const auto& report : ledger.reports()) CHECK(report.reason.find("task_closed") != std::string::npos);
  REQUIRE(uploader->closed());
  CHECK(uploader->closed()->code == ErrorCode::kTaskExpired);
}

TEST_CASE_FIXTURE(UploadFixture, "an error about the sender ends the flush and keeps all reports") {
  make(kMaxReportsPerRequest + 1);
  for (const auto& refused :
       {problem(401, "unauthorized"), problem(431, "limit_exceeded"), answer(404, "<html>"), answer(302)}) {
    transport.requests.clear();
    transport.script = {refused};
    CHECK(flush().pending == kMaxReportsPerRequest + 1);
    CHECK(transport.requests.size() == 1);
  }
}

TEST_CASE_FIXTURE(UploadFixture, "after the person has opted out no request is sent, also between two attempts") {
  make(1);
  transport.script.assign(5, answer(503));
  transport.before_answer = [this](const ExchangeLimits&) {
    if (transport.requests.size() == 2) CHECK(ledger.opt_out());
  };
  CHECK(flush().pending == 0);
  CHECK(transport.requests.size() == 2);
}

TEST_CASE_FIXTURE(UploadFixture, "a cancelled flush sends nothing more and does not wait") {
  make(1);
  transport.script.assign(5, answer(503));
  transport.before_answer = [this](const ExchangeLimits&) { cancellation.request(); };
  const FlushSummary summary = flush();
  CHECK(summary.pending == 1);
  CHECK(summary.problem->code == ErrorCode::kCancelled);
  CHECK(transport.requests.size() == 1);
  CHECK(clock.waits().empty());
}

TEST_CASE_FIXTURE(UploadFixture,
                  "every answer's date reaches the ledger, and the uploader asks for the date if the ledger needs it") {
  auto dated = answer(204);
  dated.date = 1'700'000'000;
  make(1);
  transport.script = {dated};
  flush();
  CHECK(ledger.server_times == std::vector<UnixSeconds>{1'700'000'000});
  flush();
  CHECK(transport.requests.size() == 1);

  uploader->ask_for_time();
  transport.script = {Error{ErrorCode::kConnectionFailed, "no network"}, dated};
  CHECK(flush().problem->code == ErrorCode::kConnectionFailed);
  CHECK(ledger.server_times.size() == 1);
  CHECK_FALSE(flush().problem);
  CHECK(ledger.server_times.size() == 2);
  CHECK(transport.requests.back().path == "/v1/tasks/" + task.id().to_string());
  flush();
  CHECK(transport.requests.size() == 3);

  // The answer to an upload tells the time, too. After an opt-out the client asks for nothing.
  uploader->ask_for_time();
  make(1);
  transport.script = {dated};
  flush();
  CHECK(transport.requests.size() == 4);
  uploader->ask_for_time();
  CHECK(ledger.opt_out());
  flush();
  CHECK(transport.requests.size() == 4);
}

TEST_CASE_FIXTURE(UploadFixture, "Retry-After also holds for the request for the time") {
  auto busy = answer(503);
  busy.retry_after = seconds(90);
  auto dated = answer(200);
  dated.date = 1'700'000'000;
  transport.script = {busy, dated, answer(204)};
  flush();  // makes the uploader
  uploader->ask_for_time();
  CHECK(flush().problem->code == ErrorCode::kServerRefused);
  make(1);
  CHECK(flush(seconds(60)).pending == 1);
  CHECK(transport.requests.size() == 1);
  clock.advance(seconds(91));
  flush(seconds(60));
  CHECK(transport.requests.size() == 2);
}

TEST_CASE_FIXTURE(UploadFixture, "a malformed date does not stop an upload") {
  auto dated = answer(204);
  dated.date = 1;
  make(1);
  transport.script = {dated};
  ledger.note_failure = Error{ErrorCode::kInvalidArgument, "no time"};
  CHECK(flush().delivered == 1);
}

TEST_CASE_FIXTURE(UploadFixture, "a ledger that fails is an error of the flush, and the report stays") {
  make(1);
  transport.script = {answer(204)};
  ledger.settle_failure = Error{ErrorCode::kIo, "disk"};
  uploader.emplace(ClientDependencies{transport, ledger, clock}, policy, task.id());
  CHECK(uploader->flush(kLong, cancellation, bits).error().code == ErrorCode::kIo);
  CHECK(ledger.count(ReportState::kPending) == 1);
}

}  // namespace
}  // namespace hearsay::sdk
