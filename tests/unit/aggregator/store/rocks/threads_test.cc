#include <atomic>
#include <thread>

#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {
namespace {

TEST_CASE("the tally of appends from many threads is the sum of all reports, in any order") {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kReports = 800;
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const std::vector<Report> reports = make_reports(task, 0, kReports, 5);
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<bool> done = false;

  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // Every thread appends all reports in an order of its own. The step widths have no common factor with kReports.
      constexpr std::uint64_t kSteps[] = {1, 3, 7, 799};
      std::vector<Report> batch;
      for (std::uint64_t i = 0; i < kReports; ++i) {
        batch.push_back(reports[(i * kSteps[t] + 100 * t) % kReports]);
        if (batch.size() < 1 + i % 37 && i + 1 < kReports) continue;
        const auto outcomes = append(*store, task, batch);
        for (const AppendOutcome outcome : outcomes.value()) {
          if (outcome == AppendOutcome::kAccepted) ++accepted;
          if (outcome == AppendOutcome::kConflict) ADD_FAIL_AT(__FILE__, __LINE__, "conflict");
        }
        batch.clear();
      }
    });
  }
  // Commits become visible in their order, so the number of reports never decreases.
  std::thread reader([&] {
    std::uint64_t last = 0;
    while (!done) {
      const auto tally = store->tally(task, {});
      const std::uint64_t seen = tally.value().reports();
      if (seen < last) ADD_FAIL_AT(__FILE__, __LINE__, "the tally went back");
      last = seen;
    }
  });
  // A backup that is taken during appends is whole, and has all earlier reports.
  for (int copy = 0; copy < 3; ++copy) {
    const std::uint64_t before = whole_tally(*store, task).reports();
    REQUIRE(store->backup(dir / "backups"));
    CHECK(verify_backup(dir / "backups")->reports >= before);
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  reader.join();
  CHECK(accepted == kReports);
  CHECK(whole_tally(*store, task).encode() == tally_of(task, reports).encode());
  CHECK(verified_reports(*store) == kReports);
}

TEST_CASE("if a task is deleted during appends, nothing of the task is left") {
  const TemporaryDirectory dir;
  const auto store = open_store(dir / "s");
  const Task kept = make_task("kept");
  const Task deleted = make_task("deleted");
  REQUIRE(store->add_task(kept));
  REQUIRE(store->add_task(deleted));
  std::thread appending([&] {
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Encoded a(make_report(kept, i));
      const Encoded b(make_report(deleted, i));
      const std::vector<Submission> both = {a.to(kept), b.to(deleted)};
      const auto outcomes = append(*store, both);
      if (outcomes.value()[0] != AppendOutcome::kAccepted) ADD_FAIL_AT(__FILE__, __LINE__, "not accepted");
    }
  });
  REQUIRE(store->delete_task(deleted.id()));
  appending.join();
  CHECK(stored_reports(*store, deleted).empty());
  CHECK(window_tallies(*store, deleted).empty());
  CHECK(whole_tally(*store, kept) == tally_of(kept, make_reports(kept, 0, 200)));
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
