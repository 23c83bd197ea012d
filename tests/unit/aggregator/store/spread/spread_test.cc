#include "tests/unit/aggregator/store/spread/spread_fixture.h"

namespace hearsay::store::spread::tests {
namespace {

constexpr std::uint64_t kReports = 400;

TEST_CASE("each report goes to a database by its id, and the tally is the sum over the databases") {
  Databases databases(3);
  databases.add_map(3);
  const auto store = databases.open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const std::vector<Report> reports = make_reports(task, 0, kReports, 5);
  append_new(*store, task, reports);

  // Each of the three databases is expected to get 133 reports. Fewer than 80 would be 5.6 standard deviations off.
  for (const auto& each : databases.stores) CHECK(whole_tally(*each, task).reports() > 80);
  CHECK(whole_tally(*store, task).encode() == tally_of(task, reports).encode());
  CHECK(store->tally(task, {kStart, kStart + kPrecision})->reports() == kReports / 5);
  CHECK(store->counts(task).reports == kReports);
  CHECK(store->counts(task).windows == 5);
  CHECK(store->statistics().reports == kReports);
  CHECK(store->statistics().tasks == 1);
  CHECK(stored_reports(*store, task).size() == kReports);
  CHECK(window_tallies(*store, task).size() == 5);
  CHECK(verified_reports(*store) == kReports);

  const auto again = append(*store, task, reports);
  CHECK(*again == std::vector<AppendOutcome>(kReports, AppendOutcome::kReplayed));
}

TEST_CASE("for_each_report() visits reports by ascending windows, whichever database has the reports") {
  Databases databases(3);
  databases.add_map(3);
  const auto store = databases.open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, kReports, 6));
  UnixSeconds last = 0;
  std::uint64_t visited = 0;
  REQUIRE(store->for_each_report(task, [&](const ReportView& report) -> Result<void> {
    CHECK(report.time >= last);
    last = report.time;
    ++visited;
    return {};
  }));
  CHECK(visited == kReports);
  const auto stopped = store->for_each_report(task, [&](const ReportView&) -> Result<void> { return planted(); });
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().message == "planted");
}

TEST_CASE("verify() finds a report in a database that is not the report's own by the map") {
  Databases databases(2);
  databases.add_map(2);
  const auto store = databases.open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 20));
  // One of the two databases must not have the report.
  for (const auto& each : databases.stores) append_new(*each, task, {make_report(task, 1000)});
  const auto result = verify(*store);
  REQUIRE(result);
  CHECK_FALSE(result->differences.empty());
  CHECK(store->lost_ids(task)->size() == 1);
}

TEST_CASE("a payload that does not fit the task fails the batch, and no database stores any part of the batch") {
  Databases databases(2);
  databases.add_map(2);
  const auto store = databases.open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  std::vector<Report> reports = make_reports(task, 0, 20);
  reports.back().payload.pop_back();
  const auto appended = append(*store, task, reports);
  REQUIRE_FALSE(appended);
  CHECK(appended.error().code == ErrorCode::kReportWrongSize);
  CHECK(whole_tally(*store, task).reports() == 0);
}

TEST_CASE("expired windows are sealed in every database") {
  Databases databases(2);
  databases.add_map(2);
  const auto store = databases.open();
  Task task = make_task();
  TaskSpec spec = task.spec();
  spec.report_expiry_age = kPrecision;
  task = Task::create(spec).value();
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 100, 4));
  CHECK(forget_expired(*store, kStart + 4 * kPrecision) == 75);  // three windows have expired
  const auto sealed = store->sealed(task);
  CHECK(sealed->before == kStart + 3 * kPrecision);
  CHECK(sealed->reports.size() == 3);
  CHECK(sealed->reports[0].second == 25);
  CHECK(append(*store, task, {make_report(task, 0)}).value() == std::vector<AppendOutcome>{AppendOutcome::kExpired});
  CHECK(whole_tally(*store, task).reports() == 100);
  CHECK(verified_reports(*store) == 25);
  CHECK(store->sealed_ahead(kStart + 3 * kPrecision) == kPrecision);

  REQUIRE(store->note_clock(12345));
  CHECK(store->noted_clock() == 12345);
  CHECK(store->backup("/nowhere").error().code == ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace hearsay::store::spread::tests
