#include <doctest/doctest.h>

#include "sdk/upload/uploader.h"
#include "tests/support/bit_sources.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;
using tests::answer;

struct Fixture {
  tests::ScriptedTransport transport;
  tests::ManualClock clock{0};
  tests::CounterBitSource bits{"jitter"};
  RetryPolicy policy{5, milliseconds(100), milliseconds(1000)};
  TaskId task = tests::small_task("b").id();
  std::vector<std::uint8_t> report{1, 2, 3};

  Result<void> send() { return upload(transport, clock, bits, policy, task, report); }
};

TEST_CASE_FIXTURE(Fixture, "any 2xx is success and ends it") {
  for (const unsigned status : {200U, 201U, 204U, 299U}) {
    transport.script = {answer(status)};
    CHECK(send());
  }
  CHECK(transport.requests.size() == 4);
  CHECK(transport.requests[0].path == "/v1/tasks/" + task.to_string() + "/reports");
  CHECK(transport.requests[0].content_type == "application/vnd.hearsay.reports+cbor-seq");
  CHECK(clock.sleeps().empty());
}

TEST_CASE_FIXTURE(Fixture, "a lost answer is followed by the identical bytes") {
  transport.script = {Error{ErrorCode::kConnectionFailed, ""}, Error{ErrorCode::kTimedOut, ""}, answer(503),
                      answer(429), answer(200)};
  CHECK(send());
  REQUIRE(transport.requests.size() == 5);
  for (const auto& request : transport.requests) CHECK(request.body == report);
}

TEST_CASE_FIXTURE(Fixture, "delays double up to the largest, each within its upper half") {
  policy.max_attempts = 7;
  transport.script.assign(7, answer(500));
  const auto sent = send();
  REQUIRE(!sent);
  CHECK(sent.error().code == ErrorCode::kServerRefused);
  const std::vector<int> nominal{100, 200, 400, 800, 1000, 1000};
  REQUIRE(clock.sleeps().size() == nominal.size());
  for (std::size_t i = 0; i < nominal.size(); ++i) {
    CHECK(clock.sleeps()[i].count() >= nominal[i] / 2);
    CHECK(clock.sleeps()[i].count() <= nominal[i]);
  }
}

TEST_CASE_FIXTURE(Fixture, "Retry-After is honoured, up to the largest delay") {
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

TEST_CASE_FIXTURE(Fixture, "what trying again cannot mend ends at once") {
  for (const unsigned status : {301U, 400U, 403U, 404U, 409U, 413U}) {
    transport.requests.clear();
    transport.script = {answer(status, R"({"type": "urn:hearsay:error:report_conflict", "detail": "…"})")};
    const auto sent = send();
    REQUIRE(!sent);
    CHECK(sent.error().code == ErrorCode::kServerRefused);
    CHECK(sent.error().message.find("report_conflict") != std::string::npos);
    CHECK(transport.requests.size() == 1);
  }
  transport.script = {Error{ErrorCode::kTlsFailed, "bad certificate"}};
  const auto sent = send();
  REQUIRE(!sent);
  CHECK(sent.error().code == ErrorCode::kTlsFailed);
  CHECK(clock.sleeps().empty());
}

TEST_CASE_FIXTURE(Fixture, "the last error is what remains after all attempts") {
  transport.script = {answer(503), answer(503), answer(503), answer(503), Error{ErrorCode::kTimedOut, "late"}};
  const auto sent = send();
  REQUIRE(!sent);
  CHECK(sent.error().code == ErrorCode::kTimedOut);
  CHECK(transport.requests.size() == 5);
  CHECK(clock.sleeps().size() == 4);
}

}  // namespace
}  // namespace hearsay::sdk
