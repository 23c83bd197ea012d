#include "aggregator/store/rocks/rocks.h"

#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/tally/tally.h"
#include "common/base/strict_json.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {
namespace {

using enum AppendOutcome;

TEST_CASE("a report is accepted once, replayed with the same bytes, in conflict with others") {
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const Report report = make_report(task, 1);
  Report other_payload = make_report(task, 2);
  other_payload.id = report.id;
  Report other_time = report;
  other_time.time += kPrecision;

  CHECK(*append(*store, task, {report}) == std::vector{kAccepted});
  CHECK(*append(*store, task, {report}) == std::vector{kReplayed});
  CHECK(*append(*store, task, {other_payload}) == std::vector{kConflict});
  CHECK(*append(*store, task, {other_time}) == std::vector{kConflict});
  CHECK(whole_tally(*store, task) == tally_of(task, {report}));
  CHECK(stored_reports(*store, task) == std::map<ReportId, Report>{{report.id, report}});
}

TEST_CASE("duplicates within a batch refer to the first") {
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const Report a = make_report(task, 1);
  const Report b = make_report(task, 2);
  Report a_other = b;
  a_other.id = a.id;

  CHECK(*append(*store, task, {a_other, b, a, a_other, b}) ==
        std::vector{kAccepted, kAccepted, kConflict, kReplayed, kReplayed});
  // What is stored comes before what is first in the batch.
  CHECK(*append(*store, task, {a, a, a_other}) == std::vector{kConflict, kConflict, kReplayed});
  CHECK(whole_tally(*store, task) == tally_of(task, {a_other, b}));
  CHECK(verified_reports(*store) == 2);
}

TEST_CASE("an empty batch and one of replays change nothing") {
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  CHECK(append(*store, task, {})->empty());
  CHECK(whole_tally(*store, task) == tally::Tally::empty(task.channel()));
  CHECK(window_tallies(*store, task).empty());
}

TEST_CASE("ids are unique per task, not across tasks") {
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
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

TEST_CASE("a task that is not there takes no reports, and does not hold up the others") {
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
  const Task known = make_task("known");
  const Task unknown = make_task("unknown");
  REQUIRE(store->add_task(known));
  const Encoded a(make_report(known, 1));
  const Encoded b(make_report(unknown, 2));
  const std::vector<Submission> both = {b.to(unknown), a.to(known)};
  CHECK(*append(*store, both) == std::vector{kUnrecognizedTask, kAccepted});
  CHECK(stored_reports(*store, unknown).empty());
}

TEST_CASE("a payload that no client sends fails the whole batch") {
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  Report bad = make_report(task, 2);
  bad.payload.pop_back();
  const auto outcomes = append(*store, task, {make_report(task, 1), bad});
  REQUIRE_FALSE(outcomes);
  CHECK(outcomes.error().code == ErrorCode::kReportWrongSize);
  CHECK(stored_reports(*store, task).empty());
  // That is the caller's mistake, not the store's.
  CHECK(store->healthy());
  append_new(*store, task, {make_report(task, 1)});
}

TEST_CASE("windows are kept apart and sum up over a half-open range") {
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
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

TEST_CASE("tasks are kept in canonical form, closed once, deleted with all they have") {
  const TemporaryDirectory dir;
  const Task first = make_task("first");
  const Task second = make_task("second");
  const std::vector<Report> of_first = make_reports(first, 0, 20, 3);
  const std::vector<Report> of_second = make_reports(second, 0, 10, 2);
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(first));
    REQUIRE(store->add_task(second));
    REQUIRE(store->add_task(first));
    append_new(*store, first, of_first);
    append_new(*store, second, of_second);
    CHECK(store->close_task(second.id(), 1000));
    CHECK(store->close_task(second.id(), 2000));
    CHECK(store->close_task(make_task("third").id(), 1).error().code == ErrorCode::kUnrecognizedTask);
    CHECK(store->delete_task(make_task("third").id()).error().code == ErrorCode::kUnrecognizedTask);
    CHECK(store->delete_task(first.id()));
    CHECK(store->delete_task(first.id()).error().code == ErrorCode::kUnrecognizedTask);
    CHECK(*append(*store, first, {of_first[0]}) == std::vector{kUnrecognizedTask});
  }
  const auto store = open_store(dir / "s");
  const auto tasks = store->tasks();
  REQUIRE(tasks);
  REQUIRE(tasks->size() == 1);
  CHECK((*tasks)[0].task.canonical_json() == second.canonical_json());
  CHECK((*tasks)[0].closed_at == UnixSeconds{1000});
  CHECK(stored_reports(*store, first).empty());
  CHECK(window_tallies(*store, first).empty());
  CHECK(whole_tally(*store, second) == tally_of(second, of_second));
  // The deleted task may come back, and starts from nothing.
  REQUIRE(store->add_task(first));
  append_new(*store, first, {of_first[0]});
  CHECK(whole_tally(*store, first) == tally_of(first, {of_first[0]}));
  CHECK(verified_reports(*store) == of_second.size() + 1);
}

TEST_CASE("a restart restores every tally byte for byte") {
  const TemporaryDirectory dir;
  const Task task = make_task();
  const Task other = make_task("other", 16);
  std::vector<std::string> before;
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    REQUIRE(store->add_task(other));
    // More commits on one window than are folded at once in memory.
    for (std::uint64_t i = 0; i < 100; ++i) append_new(*store, task, {make_report(task, i)});
    append_new(*store, other, make_reports(other, 0, 500, 7));
    before.push_back(whole_tally(*store, task).encode());
    const auto windows = window_tallies(*store, other);
    for (const auto& [window, tally] : windows) before.push_back(tally.encode());
    CHECK(before.size() == 8);
    CHECK(before[0] == tally_of(task, make_reports(task, 0, 100)).encode());
  }
  for (int restart = 0; restart < 3; ++restart) {
    const auto store = open_store(dir / "s", restart == 1);
    std::vector<std::string> after = {whole_tally(*store, task).encode()};
    const auto windows = window_tallies(*store, other);
    for (const auto& [window, tally] : windows) after.push_back(tally.encode());
    CHECK(after == before);
    CHECK(verified_reports(*store) == 600);
  }
}

TEST_CASE("for_each_report stops at the visitor's error and returns it") {
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
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

TEST_CASE("one process has the store, a reader needs one that is there") {
  const TemporaryDirectory dir;
  CHECK(open({.path = dir / "s", .read_only = true}).error().code == ErrorCode::kStoreFailed);
  CHECK(open({.path = ""}).error().code == ErrorCode::kStoreFailed);
  CHECK(open({.path = "/proc/no/such"}).error().code == ErrorCode::kStoreFailed);
  const Task task = make_task();
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, {make_report(task, 0)});
    CHECK(open_error(dir / "s") == ErrorCode::kStoreFailed);
  }
  const auto reader = open_store(dir / "s", true);
  CHECK(reader->tasks()->size() == 1);
  CHECK(reader->add_task(task).error().code == ErrorCode::kStoreFailed);
  CHECK(reader->close_task(task.id(), 1).error().code == ErrorCode::kStoreFailed);
  CHECK(reader->delete_task(task.id()).error().code == ErrorCode::kStoreFailed);
  CHECK(append(*reader, task, {make_report(task, 1)}).error().code == ErrorCode::kStoreFailed);
  CHECK(verified_reports(*reader) == 1);
}

TEST_CASE("a window takes no more reports than its tally can count") {
  const TemporaryDirectory dir;
  const Task task = make_task();
  const std::vector<Report> reports = make_reports(task, 0, 6);
  // The bound is 2^32; a lower one for the test, since reaching that would take days.
  constexpr std::uint64_t kMost = 4;
  const auto opened = RocksStore::open({.path = dir / "s"}, rocksdb::Env::Default(), kMost);
  REQUIRE(opened);
  Store& store = **opened;
  REQUIRE(store.add_task(task));
  append_new(store, task, {reports[0], reports[1], reports[2]});
  CHECK(*append(store, task, {reports[3], reports[4], reports[4], make_report(task, 9, 1)}) ==
        std::vector{kAccepted, kWindowFull, kWindowFull, kAccepted});
  CHECK(*append(store, task, {reports[4], reports[3]}) == std::vector{kWindowFull, kReplayed});
  CHECK(window_tallies(store, task).front().second.reports() == kMost);
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
