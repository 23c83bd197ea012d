// Disks that fill up, writes and syncs that fail: nothing is acknowledged, nothing later is taken, and a clean start
// finds exactly what was acknowledged, and whole batches of the rest or nothing.
#include "aggregator/store/rocks_store.h"
#include "tests/unit/aggregator/store/faulty_file_system.h"
#include "tests/unit/aggregator/store/store_fixture.h"

namespace hearsay::aggregator::tests {
namespace {

struct FaultyStore {
  explicit FaultyStore(const std::string& path) : env(rocksdb::NewCompositeEnv(files)) {
    auto opened = RocksStore::open({.path = path}, env.get());
    if (!opened) FAIL(opened.error().message);
    store = *std::move(opened);
  }
  std::shared_ptr<FaultyFileSystem> files = std::make_shared<FaultyFileSystem>();
  std::unique_ptr<rocksdb::Env> env;
  std::unique_ptr<RocksStore> store;  // last: it uses the others to the end
};

void check_failed(const Result<std::vector<AppendOutcome>>& outcomes) {
  REQUIRE_FALSE(outcomes);
  CHECK(outcomes.error().code == ErrorCode::kStoreFailed);
}

TEST_CASE("after a failed write or sync of the log nothing is taken until a clean start") {
  const Task task = make_task();
  const std::vector<Report> acknowledged = make_reports(task, 0, 20, 2);
  const std::vector<Report> failed = make_reports(task, 20, 30, 2);
  for (const Fault fault : {Fault::kNoSpace, Fault::kTornWrite, Fault::kSync}) {
    CAPTURE(static_cast<int>(fault));
    const TempDir dir;
    {
      FaultyStore faulty(dir / "s");
      Store& store = *faulty.store;
      REQUIRE(store.add_task(task));
      append_new(store, task, acknowledged);
      CHECK(store.healthy());
      faulty.files->inject(fault, ".log");
      check_failed(append(store, task, failed));
      CHECK_FALSE(store.healthy());
      // The disk recovers; the store must not, since it cannot know what the kernel dropped.
      faulty.files->inject(Fault::kNone, "");
      check_failed(append(store, task, failed));
      check_failed(append(store, task, {acknowledged[0]}));
      CHECK(store.add_task(make_task("second")).error().code == ErrorCode::kStoreFailed);
      CHECK(store.close_task(task.id(), 1).error().code == ErrorCode::kStoreFailed);
      CHECK(store.delete_task(task.id()).error().code == ErrorCode::kStoreFailed);
      CHECK(whole_tally(store, task) == tally_of(task, acknowledged));
    }
    const auto store = open_store(dir / "s");
    const std::uint64_t stored = verified_reports(*store);
    CHECK((stored == 20 || stored == 30));
    if (fault != Fault::kSync) CHECK(stored == 20);
    // Whoever was refused sends again.
    REQUIRE(append(*store, task, failed));
    REQUIRE(append(*store, task, acknowledged));
    CHECK(whole_tally(*store, task) == tally_of(task, make_reports(task, 0, 30, 2)));
    CHECK(verified_reports(*store) == 30);
  }
}

TEST_CASE("a power cut leaves every acknowledged commit and no part of another") {
  const Task task = make_task();
  const std::vector<Report> acknowledged = make_reports(task, 0, 9, 2);
  const std::vector<Report> failed = make_reports(task, 9, 12, 2);
  const TempDir dir;
  std::map<std::string, std::uint64_t> synced;
  {
    FaultyStore faulty(dir / "s");
    REQUIRE(faulty.store->add_task(task));
    for (const Report& report : acknowledged) append_new(*faulty.store, task, {report});
    faulty.files->inject(Fault::kSync, ".log");
    check_failed(append(*faulty.store, task, failed));
    synced = faulty.files->synced_sizes();
  }
  std::string log;
  for (const auto& [name, size] : synced) {
    if (name.ends_with(".log")) log = std::filesystem::path(name).filename();
  }
  REQUIRE_FALSE(log.empty());
  const std::uint64_t certain = synced.at(dir / ("s/" + log));
  const std::uint64_t written = std::filesystem::file_size(dir / ("s/" + log));
  REQUIRE(written > certain);
  for (const std::uint64_t lost : {written - certain, (written - certain) / 2, std::uint64_t{1}, std::uint64_t{0}}) {
    CAPTURE(lost);
    std::filesystem::remove_all(dir / "copy");
    std::filesystem::copy(dir / "s", dir / "copy");
    std::filesystem::resize_file(dir / ("copy/" + log), written - lost);
    const auto store = open_store(dir / "copy");
    CHECK(verified_reports(*store) == (lost == 0 ? 12 : 9));
    CHECK(whole_tally(*store, task) == tally_of(task, make_reports(task, 0, lost == 0 ? 12 : 9, 2)));
  }
}

TEST_CASE("a full disk while tables are written stops the store, not what it holds") {
  const Task task = make_task();
  const TempDir dir;
  {
    FaultyStore faulty(dir / "s");
    REQUIRE(faulty.store->add_task(task));
    append_new(*faulty.store, task, make_reports(task, 0, 10));
    faulty.files->inject(Fault::kNoSpace, ".sst");
    // Makes RocksDB write its tables.
    CHECK(faulty.store->snapshot(dir / "copy").error().code == ErrorCode::kStoreFailed);
    check_failed(append(*faulty.store, task, make_reports(task, 10, 20)));
    CHECK_FALSE(faulty.store->healthy());
  }
  const auto store = open_store(dir / "s");
  CHECK(verified_reports(*store) == 10);
  append_new(*store, task, make_reports(task, 10, 20));
}

}  // namespace
}  // namespace hearsay::aggregator::tests
