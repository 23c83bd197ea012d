// Tests the server while its clock is in doubt, and after its clock was wrong. The server does not refuse a report for
// good if only the clock speaks against the report, so clients keep their reports.
#include <atomic>

#include "tests/unit/aggregator/ingest/ingest_fixture.h"

namespace hearsay::ingest {
namespace {

constexpr std::uint64_t kAge = 600;

struct DoubtFixture {
  DoubtFixture() : base(options()) {
    TaskSpec spec = base.task.spec();
    spec.title = "aging";
    spec.report_expiry_age = kAge;
    task = *Task::create(spec);
    REQUIRE(base.store->add_task(task));
  }
  IngestOptions options() {
    IngestOptions with_doubt;
    with_doubt.clock_in_doubt = [this](UnixSeconds) { return in_doubt.load(); };
    return with_doubt;
  }
  Names send(const std::vector<Report>& reports) {
    return names(submit(*base.ingest, {task, std::nullopt}, cbor(reports)).get());
  }

  std::atomic<bool> in_doubt = false;
  IngestFixture base;
  Task task = make_task();
};

// The time is in the middle of window 2. Window 0 has expired, and window 3 is too early.
TEST_CASE_FIXTURE(
    DoubtFixture,
    "while the clock is in doubt, a report that depends on the clock makes the client send the whole body again") {
  const Report now = make_report(task, 1, 2);
  const Report expired = make_report(task, 2, 0);
  const Report early = make_report(task, 3, 4);
  const Report after_the_end = make_report(task, 4, kWindows);
  const Names uncertain{"whole body: clock_uncertain"};
  in_doubt = true;
  for (const Report& report : {expired, early, after_the_end}) {
    CHECK(send({report}) == uncertain);
    CHECK(send({now, report}) == uncertain);
  }
  CHECK(whole_tally(*base.store, task).reports() == 0);
  CHECK(send({now}) == Names{"accepted"});
  Report crooked = make_report(task, 5, 2);
  ++crooked.time;
  CHECK(send({now, crooked}) == Names{"replayed", "report_time_invalid"});
  in_doubt = false;
  CHECK(send({now, expired, early, after_the_end}) ==
        Names{"replayed", "report_expired", "report_too_early", "task_expired"});
}

TEST_CASE_FIXTURE(
    DoubtFixture,
    "if a window was sealed too early, the answer tells clients to keep the window's reports until they expire") {
  const Report first = make_report(task, 1, 2);
  const Report second = make_report(task, 2, 2);
  CHECK(send({first}) == Names{"accepted"});
  // The clock was two windows ahead, and the server trusted the clock.
  const UnixSeconds end = kStart + 3 * kPrecision;
  REQUIRE_FALSE(base.store->expire(end + kAge).failure);
  CHECK(send({second}) == Names{"clock_uncertain"});
  CHECK(send({second, make_report(task, 3, 3)}) == Names{"clock_uncertain", "report_too_early"});
  base.clock.advance(std::chrono::seconds(end + kAge - 1 - base.clock.now()));
  CHECK(send({second}) == Names{"clock_uncertain"});
  base.clock.advance(std::chrono::seconds(1));
  CHECK(send({second}) == Names{"report_expired"});
  CHECK(whole_tally(*base.store, task).reports() == 1);
}

TEST_CASE("the error about an unknown key of a JSON report does not repeat the key") {
  IngestFixture base;
  const std::string body = R"({"id":"AAAAAAAAAAAAAAAAAAAAAA","income":7,"payload":"","time":0,"version":1})";
  const Answer answer = submit(*base.ingest, base.stored(), body, "application/json").get();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::kReportMalformed);
  CHECK(answer.error().message.find("unknown key") != std::string::npos);
  CHECK(answer.error().message.find("number 2") != std::string::npos);
  CHECK(answer.error().message.find("income") == std::string::npos);
}

}  // namespace
}  // namespace hearsay::ingest
