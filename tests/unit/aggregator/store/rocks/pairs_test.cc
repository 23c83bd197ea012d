#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include "aggregator/store/rocks/rocks_store.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"
#include "tests/unit/aggregator/store/wide_task.h"

namespace hearsay::store::rocks::tests {
namespace {

using enum AppendOutcome;

std::uint64_t log_bytes(const std::string& path) {
  std::uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(path)) {
    if (file.path().extension() == ".log") bytes += file.file_size();
  }
  return bytes;
}

TEST_CASE("the bytes that a commit writes and reads do not depend on the contents of its window") {
  const TemporaryDirectory dir;
  const Task task = wide_task();
  const auto store = open_store(dir / "s");
  REQUIRE(store->add_task(task));
  constexpr std::uint64_t kReports = 200;
  std::uint64_t number = 0;
  // If a window had one large tally, some of 40 commits of new pairs would read and write all of it.
  const auto cost = [&] {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    rocksdb::get_perf_context()->Reset();
    const std::uint64_t before = log_bytes(dir / "s");
    for (int commit = 0; commit < 40; ++commit, number += kReports) {
      append_new(*store, task, wide_reports(task, number, number, number + kReports));
    }
    const std::uint64_t read = rocksdb::get_perf_context()->get_read_bytes;
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
    return std::pair(log_bytes(dir / "s") - before, read);
  };
  const auto [first_written, first_read] = cost();
  append_new(*store, task, wide_reports(task, 1'000'000, 1'000'000, 1'050'000));
  const auto [last_written, last_read] = cost();
  // The bytes differ only because larger numbers are longer.
  CHECK(last_written < first_written * 101 / 100);
  CHECK(last_read < first_read + 1000);
  CHECK(first_read < 40 * 1000);
  CHECK(verified_reports(*store) == 50'000 + 2 * 40 * kReports);
}

TEST_CASE("a window that is full of pairs refuses new reports and says so, but other windows accept reports") {
  const TemporaryDirectory dir;
  const Task task = wide_task();
  const Task small = make_task();
  constexpr std::uint64_t kMost = 100;
  const Options options{.path = dir / "s", .max_window_pairs = kMost};
  auto store = open(options).value();
  REQUIRE(store->add_task(task));
  REQUIRE(store->add_task(small));
  // The window has 70 pairs, since repeated pairs count once.
  for (std::uint64_t round = 0; round < 10; ++round) {
    append_new(*store, task, wide_reports(task, 1000 * round, 0, 70));
  }
  const std::vector<Report> rest = wide_reports(task, 20'000, 60, 140);
  std::vector<AppendOutcome> expected(40, kAccepted);
  expected.resize(80, kTooManyPairs);
  CHECK(*append(*store, task, rest) == expected);
  const auto check_full = [&] {
    // A full window also refuses a new report whose pair it knows.
    CHECK(*append(*store, task, {wide_report(task, 30'000, 0), rest[0], rest[79]}) ==
          std::vector{kTooManyPairs, kReplayed, kTooManyPairs});
    CHECK(store->healthy());
    CHECK(whole_tally(*store, task).reports() >= 740);
    CHECK(tally::Parts::pairs(window_tallies(*store, task).front().second) == kMost);
  };
  check_full();
  append_new(*store, task, {wide_report(task, 30'001, 1, 1)});
  append_new(*store, small, make_reports(small, 0, 200));
  store.reset();
  store = open(options).value();
  check_full();
  store.reset();
  store = open({.path = dir / "s", .max_window_pairs = kMost + 1}).value();
  CHECK(*append(*store, task, {wide_report(task, 30'002, 500), wide_report(task, 30'003, 501)}) ==
        std::vector{kAccepted, kTooManyPairs});
  CHECK(verified_reports(*store) == 742 + 200);
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
