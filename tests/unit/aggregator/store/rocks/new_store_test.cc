// Empty directories count as new stores, and so do stores that have acknowledged nothing.
#include <fstream>

#include "aggregator/store/rocks/rocks_store.h"
#include "tests/unit/aggregator/store/rocks/damaged_store.h"
#include "tests/unit/aggregator/store/rocks/faulty_file_system.h"

namespace hearsay::store::rocks::tests {
namespace {

void check_new(const std::string& path) {
  const auto store = open_store(path);
  CHECK(store->statistics().commits == 1);
  CHECK(store->tasks()->empty());
}

TEST_CASE("a new store is made in an absent or empty directory, and a lost+found in it does no harm") {
  const TemporaryDirectory dir;
  check_new(dir / "absent");
  std::filesystem::create_directory(dir / "empty");
  check_new(dir / "empty");
  std::filesystem::create_directories(dir / "mount/lost+found");
  check_new(dir / "mount");
}

TEST_CASE("a directory with other contents is refused and left unchanged") {
  const TemporaryDirectory dir;
  for (const std::string name : {"notes.txt", "LOCK", "IDENTITY", "OPTIONS-000007", "MANIFEST-000005", "000004.log",
                                 "000009.sst", "000010.blob"}) {
    CAPTURE(name);
    std::filesystem::create_directory(dir / "s");
    std::ofstream(dir / ("s/" + name)) << "something";
    CHECK(open_error(dir / "s") == ErrorCode::kStoreCorrupt);
    CHECK(std::distance(std::filesystem::directory_iterator(dir / "s"), {}) == 1);
    std::filesystem::remove_all(dir / "s");
  }
}

// A store with all its data in the first log looks most like a new store.
TEST_CASE("a store that loses files in its first run does not open with less data") {
  const TemporaryDirectory dir;
  const Task task = make_task();
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 0, 20));
    std::filesystem::copy(dir / "s", dir / "killed");
  }
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir / "killed")) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("OPTIONS-")) names.push_back(name);  // RocksDB makes this file again
  }
  REQUIRE(names.size() == 6);  // CURRENT, IDENTITY, LOCK, the log, the MANIFEST and the mark
  std::size_t opened = 0;
  for (std::size_t lost = 0; lost < std::size_t{1} << names.size(); ++lost) {
    std::filesystem::remove_all(dir / "copy");
    std::filesystem::copy(dir / "killed", dir / "copy");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if ((lost >> i & 1U) != 0) std::filesystem::remove(dir / ("copy/" + names[i]));
    }
    CAPTURE(lost);
    const auto store = open({.path = dir / "copy"});
    if (store) {
      ++opened;
      CHECK(verified_reports(**store) == 20);
    } else {
      CHECK(store.error().code == ErrorCode::kStoreCorrupt);
    }
  }
  CHECK(opened == 4);  // the store opens with all files, and without IDENTITY, LOCK or both
}

TEST_CASE("if a write or sync fails while a store is made, the next start makes the store") {
  constexpr std::size_t kMostWrites = 200;
  bool failed = true;
  std::size_t spared = 0;
  for (; failed; spared += 2) {
    REQUIRE(spared < kMostWrites);
    CAPTURE(spared);
    const TemporaryDirectory dir;
    {
      const auto files = std::make_shared<FaultyFileSystem>();
      const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
      files->inject(Fault::kTornWrite, "", spared);
      const auto made = RocksStore::open({.path = dir / "s"}, env.get());
      files->inject(Fault::kNone, "");
      failed = !made;
    }
    check_new(dir / "s");
  }
  CHECK(spared > 10);
}

TEST_CASE("a store whose making was interrupted can be neither read nor repaired") {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir / "s");
  REQUIRE(NewestMark::create(*rocksdb::Env::Default(), dir / "s", NewestMark::kBeingMade));
  { const RawDatabase raw(dir / "s"); }
  CHECK(open({.path = dir / "s", .read_only = true}).error().code == ErrorCode::kStoreFailed);
  CHECK(repair(dir / "s", true).error().code == ErrorCode::kStoreFailed);
  check_new(dir / "s");
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
