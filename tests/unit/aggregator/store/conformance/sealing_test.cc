#include "tests/unit/aggregator/store/conformance/backend.h"
#include "tests/unit/aggregator/store/reports.h"

namespace hearsay::store::tests {
namespace {

using enum AppendOutcome;

TEST_CASE(
    "expired windows are sealed: their reports are removed, their tallies stay, and late copies are refused for good") {
  for (const bool ids_in_memory : {true, false}) {
    const auto backend = make_backend();
    const Bounds bounds{.ids_in_memory = ids_in_memory};
    const Task task = aging_task(600);
    const Task keeping = make_task("keeping");
    auto store = backend->open(bounds);
    REQUIRE(store->add_task(task));
    REQUIRE(store->add_task(keeping));
    const std::vector<Report> reports = make_reports(task, 0, 300, 3);
    append_new(*store, task, reports);
    append_new(*store, keeping, make_reports(keeping, 0, 30, 3));
    const tally::Tally before = whole_tally(*store, task);

    const UnixSeconds second_window = kStart + kPrecision;
    const UnixSeconds now = second_window + 600;  // now the first window ended 600 seconds ago
    CHECK(forget_expired(*store, now - 1) == 0);
    CHECK(forget_expired(*store, now) == 100);
    CHECK(forget_expired(*store, now) == 0);
    CHECK(forget_expired(*store, 0) == 0);  // sealed windows stay sealed when the clock steps back
    const auto check = [&] {
      CHECK(whole_tally(*store, task) == before);
      CHECK(stored_reports(*store, task).size() == 200);
      CHECK(stored_reports(*store, keeping).size() == 30);
      CHECK(store->sealed(task)->before == second_window);
      CHECK(store->sealed(task)->reports == std::vector<std::pair<UnixSeconds, std::uint64_t>>{{kStart, 100}});
      const auto late = append(*store, task, {reports[0], reports[1], make_report(task, 9999, 0)});
      REQUIRE(late);
      CHECK(*late == std::vector{kExpired, kReplayed, kExpired});
      CHECK(verified_reports(*store) == 230);
    };
    check();
    store.reset();
    store = backend->open(bounds);
    check();
    CHECK(store->statistics().reports == 230);
    REQUIRE(store->delete_task(task.id()));
    CHECK(verified_reports(*store) == 30);
  }
}

TEST_CASE("windows with more blocks than one commit removes are removed whole, even if two calls are needed") {
  const auto backend = make_backend();
  const Task task = aging_task(600);
  auto store = backend->open();
  REQUIRE(store->add_task(task));
  // Each window has a block for each commit, so there are 10,000 blocks.
  for (std::uint64_t i = 0; i < 20; ++i) append_new(*store, task, make_reports(task, 500 * i, 500 * i + 500, 500));
  CHECK(forget_expired(*store, kStart + 250 * kPrecision + 600) == 5000);
  CHECK(forget_expired(*store, kStart + 500 * kPrecision + 600) == 5000);
  CHECK(store->statistics().reports == 0);
  CHECK(store->statistics().blocks == 0);
  CHECK(verified_reports(*store) == 0);
  store.reset();
  CHECK(verified_reports(*backend->open()) == 0);
}

TEST_CASE("the time at which the clock was last trusted survives a restart") {
  const auto backend = make_backend();
  {
    const auto store = backend->open();
    CHECK_FALSE(store->noted_clock());
    REQUIRE(store->note_clock(kStart));
    REQUIRE(store->note_clock(kStart + 60));
    CHECK(store->noted_clock() == kStart + 60);
  }
  CHECK(backend->open()->noted_clock() == kStart + 60);
}

TEST_CASE("the store tells how far ahead of the clock windows are sealed") {
  const auto backend = make_backend();
  const Task task = aging_task(600);
  const auto store = backend->open();
  REQUIRE(store->add_task(task));
  REQUIRE(store->add_task(make_task("keeping")));
  CHECK(store->sealed_ahead(0) == 0);
  // The first ten windows ended at least 600 seconds ago.
  const UnixSeconds now = kStart + 10 * kPrecision + 600;
  forget_expired(*store, now);
  CHECK(store->sealed_ahead(now) == 0);
  CHECK(store->sealed_ahead(now + kPrecision) == 0);
  CHECK(store->sealed_ahead(now - 1) == kPrecision);
  CHECK(store->sealed_ahead(now - 3 * kPrecision) == 3 * kPrecision);
}

}  // namespace
}  // namespace hearsay::store::tests
