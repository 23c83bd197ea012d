#include "tests/unit/aggregator/store/conformance/backend.h"
#include "tests/unit/aggregator/store/reports.h"
#include "tests/unit/aggregator/store/wide_task.h"

namespace hearsay::store::tests {
namespace {

using enum AppendOutcome;

TEST_CASE("a window accepts no more reports than its tally can count") {
  const auto backend = make_backend();
  const Task task = make_task();
  const std::vector<Report> reports = make_reports(task, 0, 6);
  // The real bound is 2^32, which would take days to reach.
  constexpr std::uint64_t kMost = 4;
  const auto opened = backend->open({.max_window_reports = kMost});
  Store& store = *opened;
  REQUIRE(store.add_task(task));
  append_new(store, task, {reports[0], reports[1], reports[2]});
  CHECK(*append(store, task, {reports[3], reports[4], reports[4], make_report(task, 9, 1)}) ==
        std::vector{kAccepted, kWindowFull, kWindowFull, kAccepted});
  CHECK(*append(store, task, {reports[4], reports[3]}) == std::vector{kWindowFull, kReplayed});
  CHECK(window_tallies(store, task).front().second.reports() == kMost);
}

TEST_CASE("adding up the tallies of windows ends when a stop is requested") {
  const auto backend = make_backend();
  const auto store = backend->open();
  std::stop_source stop;
  stop.request_stop();
  const Task sampled = wide_task();
  const Task laplace = make_task();
  REQUIRE(store->add_task(sampled));
  REQUIRE(store->add_task(laplace));
  append_new(*store, sampled, wide_reports(sampled, 0, 0, 70));
  append_new(*store, laplace, make_reports(laplace, 0, 70));
  for (const Task* task : {&sampled, &laplace}) {
    CHECK(store->tally(*task, {})->reports() == 70);
    CHECK(store->tally(*task, {}, stop.get_token()).error().code == ErrorCode::kCancelled);
  }
}

TEST_CASE("a task at its limit of open windows opens no window until another window is sealed") {
  const auto backend = make_backend();
  const Task task = wide_task(kPrecision);
  const Bounds options{.max_task_windows = 3};
  auto store = backend->open(options);
  REQUIRE(store->add_task(task));
  const auto in_window = [&](std::uint64_t number, std::uint64_t window) {
    return wide_report(task, number, number, window);
  };
  CHECK(*append(*store, task, {in_window(0, 0), in_window(1, 1), in_window(2, 2), in_window(3, 3), in_window(4, 1)}) ==
        std::vector{kAccepted, kAccepted, kAccepted, kTooManyWindows, kAccepted});
  store.reset();
  store = backend->open(options);
  CHECK(*append(*store, task, {in_window(3, 3), in_window(2, 2)}) == std::vector{kTooManyWindows, kReplayed});
  CHECK(forget_expired(*store, kStart + 2 * kPrecision) == 1);
  CHECK(*append(*store, task, {in_window(3, 3), in_window(5, 4)}) == std::vector{kAccepted, kTooManyWindows});
  const TaskCounts counts = store->counts(task);
  CHECK(counts.windows == 4);
  CHECK(counts.reports == 5);
  CHECK(verified_reports(*store) == 4);
}

TEST_CASE("windows of any number and in any number of parts add up to the tally of all their reports") {
  const auto backend = make_backend();
  const Task task = wide_task();
  const auto store = backend->open({.max_tally_pairs = 1500});
  REQUIRE(store->add_task(task));
  std::vector<Report> all;
  for (std::uint64_t window = 0; window < 150; ++window) {
    for (const Report& report : wide_reports(task, 100 * window, 7 * window, 7 * window + 20, window)) {
      all.push_back(report);
    }
  }
  append_new(*store, task, all);
  CHECK(whole_tally(*store, task) == tally_of(task, all));
  CHECK(*store->tally(task, {kStart + 3 * kPrecision, kStart + 4 * kPrecision}) ==
        tally_of(task, {all.begin() + 60, all.begin() + 80}));
  append_new(*store, task, wide_reports(task, 50'000, 10'000, 11'000, 200));
  CHECK(store->tally(task, {}).error().code == ErrorCode::kLimitExceeded);
  CHECK(store->tally(task, {kStart, kStart + 150 * kPrecision})->reports() == 3000);
  CHECK(verified_reports(*store) == 4000);
}

TEST_CASE("a window has at most its limit of pairs, and at least half of the limit when the window is full") {
  const Task task = wide_task();
  for (const std::uint64_t repeated : {0U, 90U, 100U, 400U}) {
    const auto backend = make_backend();
    const auto store = backend->open({.max_window_pairs = 200});
    REQUIRE(store->add_task(task));
    for (std::uint64_t i = 0; i < repeated; ++i) append_new(*store, task, {wide_report(task, i, 0)});
    const auto outcomes = append(*store, task, wide_reports(task, 10'000, 1, 400));
    REQUIRE(outcomes);
    CHECK(outcomes->back() == kTooManyPairs);
    const std::uint64_t pairs = tally::Parts::pairs(whole_tally(*store, task));
    CHECK(pairs <= 200);
    CHECK(pairs >= 100);
    CHECK(store->counts(task).reports == whole_tally(*store, task).reports());
  }
}

}  // namespace
}  // namespace hearsay::store::tests
