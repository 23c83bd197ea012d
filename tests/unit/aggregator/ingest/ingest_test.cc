#include "aggregator/ingest/ingest.h"

#include <algorithm>
#include <thread>

#include "common/base/strict_json.h"
#include "tests/support/report_json.h"
#include "tests/unit/aggregator/ingest/ingest_fixture.h"

namespace hearsay::ingest {
namespace {

TEST_CASE("each report is counted once, in CBOR and in JSON, alone and in batches") {
  IngestFixture f;
  const Report a = make_report(f.task, 1);
  const Report b = make_report(f.task, 2, 1);
  CHECK(f.send(cbor({a})) == Names{"accepted"});
  CHECK(f.send(cbor({b, a, b})) == Names{"accepted", "replayed", "replayed"});
  CHECK(f.send(tests::report_to_json(a).dump(), "application/json") == Names{"replayed"});
  const Json array = Json::array({tests::report_to_json(make_report(f.task, 3)), tests::report_to_json(b)});
  CHECK(f.send(array.dump(), "Application/JSON ; charset=utf-8") == Names{"accepted", "replayed"});
  CHECK(whole_tally(*f.store, f.task) == tally_of(f.task, {a, b, make_report(f.task, 3)}));
  const IngestCounters counters = f.ingest->counters();
  CHECK(counters.accepted == 3);
  CHECK(counters.replayed == 4);
  CHECK(counters.rejected == 0);
  CHECK(counters.queued_bytes == 0);
  CHECK(counters.commits == 4);
}

TEST_CASE("outcomes have the reports' ids in the order of the body, and the valid reports of a mixed body count") {
  IngestFixture f;
  Report odd_time = make_report(f.task, 2);
  ++odd_time.time;
  Report cut = make_report(f.task, 4);
  cut.payload.pop_back();
  const std::vector<Report> body = {make_report(f.task, 1), odd_time, make_report(f.task, 3), cut,
                                    make_report(f.task, 5)};
  const Answer answer = submit(*f.ingest, f.stored(), cbor(body)).get();
  CHECK(names(answer) == Names{"accepted", "report_time_invalid", "accepted", "report_wrong_size", "accepted"});
  for (std::size_t i = 0; i < body.size(); ++i) CHECK((*answer)[i].id == body[i].id);
  CHECK(whole_tally(*f.store, f.task) == tally_of(f.task, {body[0], body[2], body[4]}));
  CHECK(f.gate.sizes() == std::vector<std::size_t>{3});
  CHECK(f.ingest->counters().rejected == 2);
}

TEST_CASE("a report's time is checked against the task's lifetime, the clock and the grace after the end") {
  IngestFixture f({.clock_skew_seconds = 300});
  const auto at_window = [&](std::uint64_t window) { return cbor({make_report(f.task, 100 + window, window)}); };
  CHECK(f.send(at_window(2)) == Names{"accepted"});
  CHECK(f.send(at_window(3)) == Names{"report_too_early"});
  f.clock.advance(std::chrono::seconds(kPrecision / 2 - 301));
  CHECK(f.send(at_window(3)) == Names{"report_too_early"});
  f.clock.advance(std::chrono::seconds(1));  // a client's clock may be 300 s ahead
  CHECK(f.send(at_window(3)) == Names{"accepted"});
  CHECK(f.send(at_window(4)) == Names{"report_too_early"});
  Report before = make_report(f.task, 1);
  before.time = kStart - kPrecision;
  CHECK(f.send(cbor({before})) == Names{"report_time_invalid"});
  CHECK(f.send(at_window(kWindows)) == Names{"task_expired"});

  f.clock.advance(std::chrono::seconds(f.task.end() - f.clock.now()));
  CHECK(f.send(at_window(kWindows - 1)) == Names{"accepted"});
  CHECK(f.send(at_window(kWindows)) == Names{"task_expired"});
  f.clock.advance(std::chrono::seconds(kPrecision - 1));
  CHECK(f.send(at_window(kWindows - 2)) == Names{"accepted"});
  f.clock.advance(std::chrono::seconds(1));
  CHECK(f.send(at_window(kWindows - 3)) == Names{"task_expired"});
  CHECK(f.send(at_window(kWindows - 2)) == Names{"task_expired"});  // a late copy is refused, too
  CHECK(window_tallies(*f.store, f.task).size() == 4);
}

TEST_CASE("a report that is older than report_expiry_age is refused, even if the store has the report") {
  IngestFixture f;
  TaskSpec aging = f.task.spec();
  aging.title = "aging";
  aging.report_expiry_age = 600;
  const Task task = *Task::create(aging);
  REQUIRE(f.store->add_task(task));
  const auto send = [&](const std::string& body) { return names(submit(*f.ingest, {task, std::nullopt}, body).get()); };
  const std::string first_window = cbor({make_report(task, 1, 0)});
  // The time is in the middle of window 2. Window 0 ended one and a half windows ago.
  CHECK(send(first_window) == Names{"report_expired"});
  const std::string second_window = cbor({make_report(task, 2, 1)});
  CHECK(send(second_window) == Names{"report_expired"});
  CHECK(send(cbor({make_report(task, 3, 2)})) == Names{"accepted"});
  f.clock.advance(std::chrono::seconds(kPrecision / 2 + 599));
  CHECK(send(cbor({make_report(task, 3, 2)})) == Names{"replayed"});
  f.clock.advance(std::chrono::seconds(1));
  CHECK(send(cbor({make_report(task, 3, 2)})) == Names{"report_expired"});
  CHECK(whole_tally(*f.store, task).reports() == 1);
  const std::string detail = rejection_detail(ErrorCode::kReportExpired, task, f.clock.now());
  CHECK(detail.find(std::to_string(f.clock.now())) != std::string::npos);
}

TEST_CASE("if a client's clock is off by a minute to a year, the answer names the error") {
  IngestFixture f({.clock_skew_seconds = 300});
  TaskSpec long_lived = f.task.spec();
  long_lived.title = "long";
  long_lived.time_precision = 60;
  long_lived.task_start = 0;
  long_lived.task_duration = f.clock.now() / 60 * 60 + 10 * 366 * 86'400;
  long_lived.report_expiry_age = 7 * 86'400;
  const Task task = *Task::create(long_lived);
  REQUIRE(f.store->add_task(task));
  const auto off_by = [&](std::int64_t seconds) {
    Report report = make_report(task, static_cast<std::uint64_t>(seconds + (1LL << 40)));
    report.time = task.window_of(f.clock.now() + static_cast<std::uint64_t>(seconds));
    return names(submit(*f.ingest, {task, std::nullopt}, cbor({report})).get());
  };
  constexpr std::int64_t kHour = 3600;
  constexpr std::int64_t kYear = 366 * 24 * kHour;
  for (const std::int64_t seconds : {-60, 60, 300}) CHECK(off_by(seconds) == Names{"accepted"});
  for (const std::int64_t seconds : {kHour, 24 * kHour, kYear}) CHECK(off_by(seconds) == Names{"report_too_early"});
  for (const std::int64_t seconds : {-kHour, -24 * kHour, -6 * 24 * kHour}) CHECK(off_by(seconds) == Names{"accepted"});
  for (const std::int64_t seconds : {-8 * 24 * kHour, -kYear}) CHECK(off_by(seconds) == Names{"report_expired"});
}

TEST_CASE("a closed task refuses whole bodies, even if the clock goes back to before the closing") {
  IngestFixture f;
  CHECK(f.send(cbor({make_report(f.task, 1)})) == Names{"accepted"});
  const store::StoredTask closed{f.task, f.clock.now()};
  for (const int hours : {0, -1, 2}) {
    f.clock.advance(std::chrono::hours(hours));
    CHECK(names(submit(*f.ingest, closed, cbor({make_report(f.task, 2)})).get()) == Names{"whole body: task_closed"});
  }
  CHECK(whole_tally(*f.store, f.task).reports() == 1);
}

TEST_CASE("if a task is deleted while reports wait in the queue, each of these reports is refused") {
  IngestFixture f;
  REQUIRE(f.store->delete_task(f.task.id()));
  CHECK(f.send(cbor({make_report(f.task, 1)})) == Names{"unrecognizedTask"});
}

TEST_CASE(
    "all reports that wait during a commit are stored in the next commit, also reports of several tasks and bodies") {
  IngestFixture f;
  const Task other = make_task("other", 5);
  REQUIRE(f.store->add_task(other));
  Report conflict = make_report(f.task, 3);
  conflict.id = make_report(f.task, 2).id;

  f.gate.close();
  auto first = submit(*f.ingest, f.stored(), cbor({make_report(f.task, 1)}));
  f.gate.wait_for_appends(1);
  auto second = submit(*f.ingest, f.stored(), cbor({make_report(f.task, 2)}));
  auto third = submit(*f.ingest, f.stored(), cbor({conflict, make_report(f.task, 2), make_report(f.task, 1)}));
  auto fourth = submit(*f.ingest, {other, std::nullopt}, cbor({make_report(other, 2)}));
  f.gate.open();
  CHECK(names(first.get()) == Names{"accepted"});
  CHECK(names(second.get()) == Names{"accepted"});
  CHECK(names(third.get()) == Names{"report_conflict", "replayed", "replayed"});
  CHECK(names(fourth.get()) == Names{"accepted"});
  CHECK(f.gate.sizes() == std::vector<std::size_t>{1, 5});
  CHECK(f.ingest->counters().commits == 2);
  CHECK(verified_reports(*f.store) == 3);
}

TEST_CASE("bodies are joined into commits of up to max_batch_reports, and a body is never split") {
  IngestFixture f({.max_batch_reports = 5});
  auto body = [&, next = std::uint64_t{0}](std::uint64_t size) mutable {
    next += size;
    return cbor(make_reports(f.task, next - size, next));
  };
  f.gate.close();
  std::vector<std::future<Answer>> answers;
  answers.push_back(submit(*f.ingest, f.stored(), body(1)));
  f.gate.wait_for_appends(1);
  for (const std::uint64_t size : {3, 2, 1, 12, 4, 1}) answers.push_back(submit(*f.ingest, f.stored(), body(size)));
  f.gate.open();
  for (auto& answer : answers) REQUIRE(answer.get());
  CHECK(f.gate.sizes() == std::vector<std::size_t>{1, 5, 1, 12, 5});
}

TEST_CASE("beyond max_queued_bytes uploads are refused before their body is read, until there is room again") {
  const std::string one = cbor({make_report(make_task("ingest", 3), 1)});
  IngestFixture f({.max_queued_bytes = 2 * one.size()});
  f.gate.close();
  auto first = submit(*f.ingest, f.stored(), one);
  f.gate.wait_for_appends(1);
  auto second = submit(*f.ingest, f.stored(), one);
  CHECK(f.ingest->counters().queued_bytes == 2 * one.size());
  CHECK(f.send("x", "text/plain") == Names{"whole body: overloaded"});
  f.gate.open();
  CHECK(names(first.get()) == Names{"accepted"});
  CHECK(names(second.get()) == Names{"replayed"});
  CHECK(f.send(one + one + one) == Names{"whole body: overloaded"});
  CHECK(f.send("x", "text/plain") == Names{"whole body: unsupported_media_type"});
  CHECK(f.send(one) == Names{"replayed"});
  CHECK(f.ingest->counters().queued_bytes == 0);
}

TEST_CASE("a refusal because of the queue or the store comes before the body is read") {
  const std::string one = cbor({make_report(make_task("ingest", 3), 1)});
  IngestFixture f({.max_queued_bytes = 2 * one.size()});
  CHECK(f.ingest->admits(2 * one.size()));
  CHECK(f.ingest->admits(2 * one.size() + 1).error().code == ErrorCode::kOverloaded);
  f.gate.close();
  auto first = submit(*f.ingest, f.stored(), one);
  f.gate.wait_for_appends(1);
  CHECK(f.ingest->admits(one.size()));
  CHECK(f.ingest->admits(one.size() + 1).error().code == ErrorCode::kOverloaded);
  f.gate.open();
  CHECK(names(first.get()) == Names{"accepted"});
  f.gate.set_healthy(false);
  CHECK(f.ingest->admits(1).error().code == ErrorCode::kStoreFailed);
  f.gate.set_healthy(true);
  f.ingest->stop();
  CHECK(f.ingest->admits(1).error().code == ErrorCode::kOverloaded);
}

TEST_CASE("a body of 100,000 reports from a relay is one commit") {
  IngestFixture f;
  constexpr std::uint64_t kReports = 100'000;
  const std::vector<Report> reports = make_reports(f.task, 0, kReports);
  CHECK(f.send(cbor(reports)) == Names(kReports, "accepted"));
  CHECK(f.gate.sizes() == std::vector<std::size_t>{kReports});
  CHECK(f.send(cbor({reports.front(), reports.back()})) == Names(2, "replayed"));
  CHECK(whole_tally(*f.store, f.task).reports() == kReports);
}

TEST_CASE("commits are limited in bytes, but a body is never split") {
  const std::string one = cbor({make_report(make_task("ingest", 3), 1)});
  IngestFixture f({.max_batch_bytes = 2 * one.size()});
  f.gate.close();
  std::vector<std::future<Answer>> answers;
  for (std::uint64_t i = 0; i < 6; ++i) {
    answers.push_back(submit(*f.ingest, f.stored(), cbor(make_reports(f.task, 10 * i, 10 * i + (i == 4 ? 3 : 1)))));
    if (i == 0) f.gate.wait_for_appends(1);
  }
  f.gate.open();
  for (auto& answer : answers) REQUIRE(answer.get());
  CHECK(f.gate.sizes() == std::vector<std::size_t>{1, 2, 1, 3, 1});
}

TEST_CASE("a commit that fails or throws acknowledges no report") {
  for (const auto mode : {GatedStore::Mode::kFail, GatedStore::Mode::kThrow}) {
    IngestFixture f;
    f.gate.set_mode(mode);
    f.gate.close();
    auto first = submit(*f.ingest, f.stored(), cbor({make_report(f.task, 1)}));
    f.gate.wait_for_appends(1);
    auto second = submit(*f.ingest, f.stored(), cbor({make_report(f.task, 2)}));
    Report odd_time = make_report(f.task, 4);
    ++odd_time.time;
    auto third = submit(*f.ingest, f.stored(), cbor({make_report(f.task, 3), odd_time}));
    f.gate.open();
    for (auto* answer : {&first, &second, &third}) CHECK(names(answer->get()) == Names{"whole body: store_failed"});
    const IngestCounters counters = f.ingest->counters();
    CHECK(counters.accepted + counters.replayed + counters.rejected == 0);
    CHECK(counters.queued_bytes == 0);
    CHECK(whole_tally(*f.store, f.task).reports() == 0);
    f.gate.set_mode(GatedStore::Mode::kPass);
    CHECK(f.send(cbor({make_report(f.task, 1)})) == Names{"accepted"});
  }
}

TEST_CASE(
    "a body is refused whole if a database may be unsure of one of its reports, and other bodies of the commit are "
    "not") {
  IngestFixture f;
  f.gate.close();
  auto first = submit(*f.ingest, f.stored(), cbor({make_report(f.task, 1)}));
  f.gate.wait_for_appends(1);
  auto second = submit(*f.ingest, f.stored(), cbor({make_report(f.task, 2), make_report(f.task, 3)}));
  auto third = submit(*f.ingest, f.stored(), cbor({make_report(f.task, 4)}));
  f.gate.set_mode(GatedStore::Mode::kLate);
  f.gate.open();
  CHECK(names(first.get()) == Names{"accepted"});
  const Answer refused = second.get();
  CHECK(names(refused) == Names{"whole body: store_failed"});
  CHECK(refused.error().message.find("same bytes again") != std::string::npos);
  CHECK(names(third.get()) == Names{"accepted"});
  CHECK(f.ingest->counters().accepted == 2);
  f.gate.set_mode(GatedStore::Mode::kPass);
  CHECK(f.send(cbor({make_report(f.task, 2), make_report(f.task, 3)})) == Names{"replayed", "replayed"});
  CHECK(whole_tally(*f.store, f.task).reports() == 4);
}

TEST_CASE("stop() commits queued reports and refuses later reports") {
  IngestFixture f;
  f.gate.close();
  std::vector<std::future<Answer>> answers;
  answers.push_back(submit(*f.ingest, f.stored(), cbor({make_report(f.task, 0)})));
  f.gate.wait_for_appends(1);
  for (std::uint64_t i = 1; i < 5; ++i)
    answers.push_back(submit(*f.ingest, f.stored(), cbor({make_report(f.task, i)})));
  std::thread stopping([&] { f.ingest->stop(); });
  f.gate.open();
  stopping.join();
  for (auto& answer : answers) CHECK(names(answer.get()) == Names{"accepted"});
  CHECK(f.send(cbor({make_report(f.task, 9)})) == Names{"whole body: overloaded"});
  f.ingest->stop();
  CHECK(whole_tally(*f.store, f.task) == tally_of(f.task, make_reports(f.task, 0, 5)));
}

TEST_CASE("with many threads, in any order and grouping, the tally is the sum of all reports") {
  constexpr std::uint64_t kThreads = 8;
  constexpr std::uint64_t kReports = 600;
  IngestFixture f({.max_batch_reports = 50});
  const std::vector<Report> reports = make_reports(f.task, 0, kReports, 3);
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> replayed = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // Two threads send every report, in bodies of 1 to 7 reports. Each thread starts at another report, and visits
      // each of its reports once.
      std::vector<Report> mine;
      for (std::uint64_t i = 0; i < kReports; ++i) {
        const std::uint64_t number = (i * 7 + t * 131) % kReports;
        if (number % (kThreads / 2) == t % (kThreads / 2)) mine.push_back(reports[number]);
      }
      std::vector<std::future<Answer>> answers;
      for (std::size_t at = 0, size = 1 + t % 7; at < mine.size(); at += size, size = size % 7 + 1) {
        size = std::min(size, mine.size() - at);
        answers.push_back(submit(*f.ingest, f.stored(),
                                 cbor({mine.begin() + static_cast<std::ptrdiff_t>(at),
                                       mine.begin() + static_cast<std::ptrdiff_t>(at + size)})));
      }
      for (auto& answer : answers) {
        const Answer result = answer.get();
        for (const Outcome& outcome : result.value()) {
          ++(outcome.status.kind == ReportStatus::Kind::kReplayed ? replayed : accepted);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(accepted == kReports);
  CHECK(replayed == kReports);
  CHECK(whole_tally(*f.store, f.task).encode() == tally_of(f.task, reports).encode());
  CHECK(verified_reports(*f.store) == kReports);
  const IngestCounters counters = f.ingest->counters();
  CHECK(counters.accepted == kReports);
  CHECK(counters.replayed == kReports);
}

}  // namespace
}  // namespace hearsay::ingest
