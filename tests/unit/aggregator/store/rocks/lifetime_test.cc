#include <fstream>
#include <random>

#include "aggregator/store/rocks/id_index.h"
#include "aggregator/tally/tally.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {
namespace {

std::unique_ptr<Store> open_bounded(const std::string& path, std::size_t max_index_bytes) {
  auto store = open({.path = path, .max_index_bytes = max_index_bytes});
  if (!store) FAIL(store.error().message);
  return *std::move(store);
}

// Returns a batch of new reports, replays, conflicts and duplicates. The same seed gives the same batch.
std::vector<Report> mixed_batch(const Task& task, std::uint64_t seed) {
  std::minstd_rand choose(static_cast<std::uint32_t>(seed));
  std::vector<Report> batch;
  const std::uint64_t size = 1 + choose() % 60;
  for (std::uint64_t i = 0; i < size; ++i) {
    Report report = make_report(task, choose() % 700, choose() % 3);
    if (choose() % 5 == 0) report.payload = make_report(task, 1'000'000 + choose() % 7).payload;
    batch.push_back(report);
  }
  return batch;
}

TEST_CASE("outcomes and tallies do not depend on the bound on the index of ids, which may change at each start") {
  const std::vector<Task> tasks{make_task("one"), make_task("two", 3)};
  TemporaryDirectory dir;
  std::unique_ptr<Store> roomy = open_store(dir / "roomy");
  std::unique_ptr<Store> tight = open_bounded(dir / "tight", 100 * IdIndex::kMaxBytesPerEntry);
  for (const Task& task : tasks) {
    REQUIRE(roomy->add_task(task));
    REQUIRE(tight->add_task(task));
  }
  constexpr std::size_t kReport = IdIndex::kMaxBytesPerEntry;
  const std::vector<std::size_t> bounds{0, 300 * kReport, 10 * kReport, std::size_t{1} << 30U, 50 * kReport, 0};
  bool spilled = false;
  bool returned = false;
  for (std::uint64_t round = 0; round < 120; ++round) {
    const Task& task = tasks[round % 2];
    const std::vector<Report> batch = mixed_batch(task, round);
    const auto expected = append(*roomy, task, batch);
    const auto outcomes = append(*tight, task, batch);
    REQUIRE(expected);
    REQUIRE(outcomes);
    CAPTURE(round);
    REQUIRE(*outcomes == *expected);
    spilled = spilled || tight->statistics().spilled;
    returned = returned || (spilled && !tight->statistics().spilled);
    if (round % 10 == 9) {
      tight.reset();
      tight = open_bounded(dir / "tight", bounds[round / 10 % bounds.size()]);
    }
  }
  CHECK(spilled);
  CHECK(returned);  // from then on all ids fit into the index again
  for (const Task& task : tasks) {
    CHECK(stored_reports(*tight, task) == stored_reports(*roomy, task));
    CHECK(whole_tally(*tight, task) == whole_tally(*roomy, task));
  }
  CHECK(verified_reports(*tight) == verified_reports(*roomy));
}

TEST_CASE("the index has the ids of the stored reports, within its bound") {
  TemporaryDirectory dir;
  const Task task = make_task();
  const auto store = open_bounded(dir / "s", 1000 * IdIndex::kMaxBytesPerEntry);
  REQUIRE(store->add_task(task));
  for (std::uint64_t i = 0; i < 20; ++i) append_new(*store, task, make_reports(task, 100 * i, 100 * i + 100));
  const StoreStatistics held = store->statistics();
  CHECK(held.reports == 2000);
  CHECK(held.tasks == 1);
  CHECK(held.blocks == 20);
  CHECK(held.spilled);
  CHECK(held.indexed_reports > 0);
  CHECK(held.indexed_reports < 2000);
  CHECK(held.index_bytes <= 1000 * IdIndex::kMaxBytesPerEntry + IdIndex::kFixedBytes);
}

TEST_CASE("a backup that is stopped is not a backup, and the next backup is whole") {
  TemporaryDirectory dir;
  const Task task = make_task();
  const auto store = open_store(dir / "s");
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 500));
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = store->backup(dir / "backups", 0, stop.get_token());
  REQUIRE(!stopped);
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  CHECK(!verify_backup(dir / "backups"));
  REQUIRE(store->backup(dir / "backups", 0));
  CHECK(verify_backup(dir / "backups")->reports == 500);
}

TEST_CASE("a backup can be taken during appends, restored elsewhere and verified") {
  TemporaryDirectory dir;
  const Task task = make_task();
  const auto store = open_store(dir / "s");
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 500));
  const auto first = store->backup(dir / "backups", 0);
  REQUIRE(first);
  append_new(*store, task, make_reports(task, 500, 700));
  const auto second = store->backup(dir / "backups", 2);
  REQUIRE(second);
  CHECK(second->number > first->number);
  CHECK(verify_backup(dir / "backups")->reports == 700);
  CHECK(verify_backup(dir / "backups", first->number)->reports == 500);
  CHECK(verify_backup(std::filesystem::relative(dir / "backups"), first->number)->reports == 500);
  REQUIRE(restore_backup(dir / "backups", dir / "old", first->number));
  REQUIRE(restore_backup(dir / "backups", dir / "new"));
  const auto old = open_store(dir / "old");
  CHECK(verified_reports(*old) == 500);
  CHECK(stored_reports(*open_store(dir / "new"), task) == stored_reports(*store, task));
  // The restored store accepts the reports that its backup lacks.
  CHECK(append(*old, task, make_reports(task, 400, 600))->front() == AppendOutcome::kReplayed);
  CHECK(stored_reports(*old, task).size() == 600);

  CHECK(restore_backup(dir / "backups", dir / "old").error().code == ErrorCode::kStoreFailed);
  CHECK(restore_backup(dir / "backups", dir / "other", 99).error().code == ErrorCode::kStoreFailed);
  CHECK(restore_backup(dir / "nothing", dir / "other").error().code == ErrorCode::kStoreFailed);
}

TEST_CASE("a whole backup can be used beside a damaged backup, and an older backup does not count as the newest") {
  TemporaryDirectory dir;
  const Task task = make_task();
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    for (std::uint64_t i = 0; i < 3; ++i) {
      append_new(*store, task, make_reports(task, 100 * i, 100 * i + 100));
      REQUIRE(store->backup(dir / "backups", 0));
    }
  }
  std::filesystem::resize_file(dir / "backups/meta/1", 10);
  CHECK(verify_backup(dir / "backups")->reports == 300);
  CHECK(restore_backup(dir / "backups", dir / "first", 1).error().code == ErrorCode::kStoreCorrupt);
  REQUIRE(restore_backup(dir / "backups", dir / "newest"));
  CHECK(verified_reports(*open_store(dir / "newest")) == 300);
  std::filesystem::remove_all(dir / "backups/private/3");
  CHECK(restore_backup(dir / "backups", dir / "other").error().code == ErrorCode::kStoreCorrupt);
  CHECK(verify_backup(dir / "backups").error().code == ErrorCode::kStoreCorrupt);
  CHECK(verify_backup(dir / "backups", 2)->reports == 200);
}

TEST_CASE("a backup is restored into an empty directory, even if the directory's name ends in a slash") {
  TemporaryDirectory dir;
  const Task task = make_task();
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 0, 10));
    REQUIRE(store->backup(dir / "backups", 0));
  }
  std::filesystem::create_directory(dir / "empty");
  REQUIRE(restore_backup(dir / "backups", dir / "empty/"));
  REQUIRE(restore_backup(dir / "backups", dir / "new/"));
  CHECK(verified_reports(*open_store(dir / "empty")) == 10);
  CHECK(verified_reports(*open_store(dir / "new")) == 10);
}

TEST_CASE("reports of sealed windows leave the disk") {
  TemporaryDirectory dir;
  const Task task = aging_task(600);
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 0, 3000));
  }
  const Report gone = make_report(task, 5);
  const std::string id(gone.id.bytes.begin(), gone.id.bytes.end());
  const auto on_disk = [&] {
    for (const auto& file : std::filesystem::directory_iterator(dir / "s")) {
      std::ifstream bytes(file.path(), std::ios::binary);
      const std::string all((std::istreambuf_iterator<char>(bytes)), {});
      if (all.find(id) != std::string::npos) return true;
    }
    return false;
  };
  const auto store = open_store(dir / "s");  // the start writes the log's contents to tables
  REQUIRE(on_disk());
  REQUIRE(forget_expired(*store, kStart + kPrecision + 600) == 3000);
  CHECK_FALSE(on_disk());
}

// Flips one bit in the middle of the largest file below `directory` whose name ends in `ending`.
bool damage(const std::string& directory, const std::string& ending) {
  std::filesystem::path largest;
  std::uintmax_t size = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory)) {
    if (!file.is_regular_file() || !file.path().string().ends_with(ending) || file.file_size() <= size) continue;
    largest = file.path();
    size = file.file_size();
  }
  if (size == 0) return false;
  std::fstream bytes(largest, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(static_cast<std::streamoff>(size / 2));
  const int byte = bytes.get();
  bytes.seekp(static_cast<std::streamoff>(size / 2));
  bytes.put(static_cast<char>(byte ^ 1));
  return true;
}

TEST_CASE("a flipped bit in a table or blob file is found at the start, and in a backup before the restoration") {
  TemporaryDirectory dir;
  const Task task = make_task();
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 0, 3000));
  }
  REQUIRE(open_store(dir / "s")->backup(dir / "backups", 0));
  REQUIRE(damage(dir / "backups", ".blob"));
  CHECK(verify_backup(dir / "backups").error().code == ErrorCode::kStoreCorrupt);
  CHECK(restore_backup(dir / "backups", dir / "restored").error().code == ErrorCode::kStoreCorrupt);
  REQUIRE(damage(dir / "s", ".blob"));
  CHECK(open_error(dir / "s") == ErrorCode::kStoreCorrupt);
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
