#include "tests/unit/aggregator/store/conformance/backend.h"
#include "tests/unit/aggregator/store/reports.h"

namespace hearsay::store::tests {
namespace {

using enum AppendOutcome;

TEST_CASE("tasks are kept in canonical form, closed once, and deleted with all their data") {
  const auto backend = make_backend();
  const Task first = make_task("first");
  const Task second = make_task("second");
  const std::vector<Report> of_first = make_reports(first, 0, 20, 3);
  const std::vector<Report> of_second = make_reports(second, 0, 10, 2);
  {
    const auto store = backend->open();
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
  const auto store = backend->open();
  const auto tasks = store->tasks();
  REQUIRE(tasks);
  REQUIRE(tasks->size() == 1);
  CHECK((*tasks)[0].task.canonical_json() == second.canonical_json());
  CHECK((*tasks)[0].closed_at == UnixSeconds{1000});
  CHECK(stored_reports(*store, first).empty());
  CHECK(window_tallies(*store, first).empty());
  CHECK(whole_tally(*store, second) == tally_of(second, of_second));
  REQUIRE(store->add_task(first));
  append_new(*store, first, {of_first[0]});
  CHECK(whole_tally(*store, first) == tally_of(first, {of_first[0]}));
  CHECK(verified_reports(*store) == of_second.size() + 1);
}

TEST_CASE("a restart restores every tally byte for byte") {
  const auto backend = make_backend();
  const Task task = make_task();
  const Task other = make_task("other", 16);
  std::vector<std::string> before;
  {
    const auto store = backend->open();
    REQUIRE(store->add_task(task));
    REQUIRE(store->add_task(other));
    // More commits than the store adds up at once in memory.
    for (std::uint64_t i = 0; i < 100; ++i) append_new(*store, task, {make_report(task, i)});
    append_new(*store, other, make_reports(other, 0, 500, 7));
    before.push_back(whole_tally(*store, task).encode());
    const auto windows = window_tallies(*store, other);
    for (const auto& [window, tally] : windows) before.push_back(tally.encode());
    CHECK(before.size() == 8);
    CHECK(before[0] == tally_of(task, make_reports(task, 0, 100)).encode());
  }
  for (int restart = 0; restart < 3; ++restart) {
    const auto store = backend->open();
    std::vector<std::string> after = {whole_tally(*store, task).encode()};
    const auto windows = window_tallies(*store, other);
    for (const auto& [window, tally] : windows) after.push_back(tally.encode());
    CHECK(after == before);
    CHECK(verified_reports(*store) == 600);
  }
}

TEST_CASE("a task that does not exist accepts no reports, and does not delay reports of other tasks") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task known = make_task("known");
  const Task unknown = make_task("unknown");
  REQUIRE(store->add_task(known));
  const Encoded a(make_report(known, 1));
  const Encoded b(make_report(unknown, 2));
  const std::vector<Submission> both = {b.to(unknown), a.to(known)};
  CHECK(*append(*store, both) == std::vector{kUnrecognizedTask, kAccepted});
  CHECK(stored_reports(*store, unknown).empty());
}

TEST_CASE("a closed task accepts no report, not even a copy of a stored report") {
  const auto backend = make_backend();
  auto store = backend->open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1)});
  REQUIRE(store->close_task(task.id(), kStart));
  const auto check = [&] {
    CHECK(*append(*store, task, {make_report(task, 1), make_report(task, 2)}) == std::vector{kTaskClosed, kTaskClosed});
    CHECK(whole_tally(*store, task).reports() == 1);
    CHECK(verified_reports(*store) == 1);
  };
  check();
  store.reset();
  store = backend->open();
  check();
}

}  // namespace
}  // namespace hearsay::store::tests
