#include "tests/unit/aggregator/store/conformance/backend.h"
#include "tests/unit/aggregator/store/reports.h"

namespace hearsay::store::tests {
namespace {

using enum AppendOutcome;

TEST_CASE(
    "a report is accepted once, a copy with the same bytes is replayed, and a copy with other bytes is a conflict") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const Report report = make_report(task, 1);
  Report other_payload = make_report(task, 2);
  other_payload.id = report.id;

  CHECK(*append(*store, task, {report}) == std::vector{kAccepted});
  CHECK(*append(*store, task, {report}) == std::vector{kReplayed});
  CHECK(*append(*store, task, {other_payload}) == std::vector{kConflict});
  CHECK(whole_tally(*store, task) == tally_of(task, {report}));
  CHECK(stored_reports(*store, task) == StoredReports{{{report.time, report.id}, report}});
}

TEST_CASE("in another window the same id is another report") {
  for (const bool ids_in_memory : {true, false}) {
    const auto backend = make_backend();
    const Bounds bounds{.ids_in_memory = ids_in_memory};
    auto store = backend->open(bounds);
    const Task task = make_task();
    REQUIRE(store->add_task(task));
    const Report first = make_report(task, 1);
    Report later = make_report(task, 2, 1);
    later.id = first.id;
    Report conflict = make_report(task, 3, 1);
    conflict.id = first.id;
    CHECK(*append(*store, task, {first, later, first, later, conflict}) ==
          std::vector{kAccepted, kAccepted, kReplayed, kReplayed, kConflict});
    store.reset();
    store = backend->open(bounds);
    CHECK(*append(*store, task, {later, conflict, first}) == std::vector{kReplayed, kConflict, kReplayed});
    CHECK(whole_tally(*store, task) == tally_of(task, {first, later}));
    CHECK(verified_reports(*store) == 2);
  }
}

TEST_CASE("the first of several reports with one id in a batch decides about the others") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const Report a = make_report(task, 1);
  const Report b = make_report(task, 2);
  Report a_other = b;
  a_other.id = a.id;

  CHECK(*append(*store, task, {a_other, b, a, a_other, b}) ==
        std::vector{kAccepted, kAccepted, kConflict, kReplayed, kReplayed});
  CHECK(*append(*store, task, {a, a, a_other}) == std::vector{kConflict, kConflict, kReplayed});
  CHECK(whole_tally(*store, task) == tally_of(task, {a_other, b}));
  CHECK(verified_reports(*store) == 2);
}

TEST_CASE("an empty batch changes nothing, and neither does a batch of replays") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  CHECK(append(*store, task, {})->empty());
  CHECK(whole_tally(*store, task) == tally::Tally::empty(task.channel()));
  CHECK(window_tallies(*store, task).empty());
}

TEST_CASE("ids are unique per task, not across tasks") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task first = make_task("first");
  const Task second = make_task("second", 7);
  REQUIRE(store->add_task(first));
  REQUIRE(store->add_task(second));
  const Report a = make_report(first, 1);
  Report b = make_report(second, 2);
  b.id = a.id;
  const Encoded a_encoded(a);
  const Encoded b_encoded(b);
  const std::vector<Submission> both = {a_encoded.to(first), b_encoded.to(second)};
  CHECK(*append(*store, both) == std::vector{kAccepted, kAccepted});
  CHECK(whole_tally(*store, first) == tally_of(first, {a}));
  CHECK(whole_tally(*store, second) == tally_of(second, {b}));
}

TEST_CASE("a payload that does not have the task's form fails the whole batch") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  Report bad = make_report(task, 2);
  bad.payload.pop_back();
  const auto outcomes = append(*store, task, {make_report(task, 1), bad});
  REQUIRE_FALSE(outcomes);
  CHECK(outcomes.error().code == ErrorCode::kReportWrongSize);
  CHECK(stored_reports(*store, task).empty());
  CHECK(store->healthy());
  append_new(*store, task, {make_report(task, 1)});
}

TEST_CASE("windows are kept apart, and the tally of a half-open range is the sum of its windows") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  std::vector<std::vector<Report>> by_window(3);
  for (std::uint64_t i = 0; i < 30; ++i) by_window[i % 3].push_back(make_report(task, i, i % 3));
  for (const auto& reports : by_window) append_new(*store, task, reports);

  const auto tallies = window_tallies(*store, task);
  REQUIRE(tallies.size() == 3);
  for (std::size_t w = 0; w < 3; ++w) {
    CHECK(tallies[w].first == kStart + w * kPrecision);
    CHECK(tallies[w].second == tally_of(task, by_window[w]));
  }
  CHECK(*store->tally(task, {kStart + kPrecision, kStart + 2 * kPrecision}) == tally_of(task, by_window[1]));
  CHECK(*store->tally(task, {kStart + 3 * kPrecision, ~UnixSeconds{0}}) == tally::Tally::empty(task.channel()));
  CHECK(*store->tally(task, {kStart + kPrecision, kStart}) == tally::Tally::empty(task.channel()));
  std::vector<Report> all;
  for (const auto& reports : by_window) all.insert(all.end(), reports.begin(), reports.end());
  CHECK(whole_tally(*store, task) == tally_of(task, all));
}

TEST_CASE("for_each_report() visits each report once, by ascending windows, over many commits, days and pages") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task task = aging_task(50 * 24 * kPrecision);
  REQUIRE(store->add_task(task));
  // The last window is after the task's end, and never expires.
  const std::vector<std::uint64_t> windows{70, 3, 24, 47, 25, kWindows + 2};
  constexpr std::uint64_t kCommits = 50;
  for (std::uint64_t commit = 0; commit < kCommits; ++commit) {
    std::vector<Report> reports;
    for (std::size_t w = 0; w < windows.size(); ++w) {
      reports.push_back(make_report(task, commit * windows.size() + w, windows[w]));
    }
    append_new(*store, task, reports);
  }
  std::map<UnixSeconds, std::uint64_t> visited;
  REQUIRE(store->for_each_report(task, [&](const ReportView& report) -> Result<void> {
    CHECK(visited.upper_bound(report.time) == visited.end());
    ++visited[report.time];
    return {};
  }));
  CHECK(visited.size() == windows.size());
  for (const auto& [time, count] : visited) CHECK(count == kCommits);
  CHECK(stored_reports(*store, task).size() == windows.size() * kCommits);
}

TEST_CASE("for_each_report() stops at the visitor's error and returns the error") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 5));
  int visited = 0;
  const auto result = store->for_each_report(task, [&](const ReportView&) -> Result<void> {
    if (++visited == 3) return Error{ErrorCode::kInternal, "enough"};
    return {};
  });
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "enough");
  CHECK(visited == 3);
}

}  // namespace
}  // namespace hearsay::store::tests
