#include "aggregator/store/rocks/newest.h"

#include "tests/unit/aggregator/store/rocks/damaged_store.h"

namespace hearsay::store::rocks::tests {
namespace {

using Stop = DamagedStore::Stop;

std::uint64_t mark_in(const std::string& path) {
  const auto newest = NewestMark::read(*rocksdb::Env::Default(), path);
  if (!newest) FAIL(newest.error().message);
  REQUIRE(*newest);
  return **newest;
}

TEST_CASE("the mark file has the number of the last commit") {
  const TemporaryDirectory dir;
  const Task task = make_task();
  for (std::uint64_t round = 0; round < 2; ++round) {
    const auto store = open_store(dir / "s");
    CHECK(mark_in(dir / "s") == store->statistics().commits);
    REQUIRE(store->add_task(task));
    append_new(*store, task, {make_report(task, round)});
    CHECK(mark_in(dir / "s") == store->statistics().commits);
  }
  CHECK(mark_in(dir / "s") == 4);  // commits of the format, of the task and of two reports
  CHECK(std::filesystem::file_size(dir / "s/newest") == 16);
}

TEST_CASE("a lost, damaged or too new mark is damage, and a mark that is older than the log is not") {
  for (const Stop stop : {Stop::kKilled, Stop::kClean}) {
    const DamagedStore stored(stop);
    CHECK(stored.is_named(stored.copy_without("newest"), "newest"));
    CHECK(stored.is_named(stored.copy_with("newest", ""), "newest"));
    const std::string path = stored.copy();
    const std::uint64_t commits = mark_in(path);
    rocksdb::Env& env = *rocksdb::Env::Default();
    // After a power cut the mark may be older than the log.
    REQUIRE(NewestMark::create(env, path, commits - 3));
    CHECK_FALSE(stored.is_named(path, "newest"));
    CHECK(mark_in(path) == commits);
    REQUIRE(NewestMark::create(env, path, commits + 1));
    CHECK(open_error(path) == ErrorCode::kStoreCorrupt);
  }
}

// Without a checksum a lower number would look like an earlier commit's mark.
TEST_CASE("a flipped bit in any byte of the mark is damage, and the error names the mark") {
  const DamagedStore stored(Stop::kKilled);
  const std::string bytes = stored.bytes("newest");
  REQUIRE(bytes.size() == 16);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    CAPTURE(at);
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    CHECK(stored.is_named(stored.copy_with("newest", flipped), "newest"));
  }
}

TEST_CASE("a directory with the mark of a commit does not count as a new store") {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir / "s");
  REQUIRE(NewestMark::create(*rocksdb::Env::Default(), dir / "s", 1));
  CHECK(open_error(dir / "s") == ErrorCode::kStoreCorrupt);
  { const RawDatabase raw(dir / "s"); }
  CHECK(open_error(dir / "s") == ErrorCode::kStoreCorrupt);
}

TEST_CASE("after a clean stop RocksDB's log is empty") {
  const DamagedStore stored(Stop::kClean);
  for (const std::string& log : stored.files(".log")) CHECK(stored.bytes(log).empty());
  for (const std::string& log : stored.files(".log")) CHECK_FALSE(stored.is_named(stored.copy_without(log), log));
}

TEST_CASE("repair counts what is lost with the damaged end of a log, and drops this end only on request") {
  const DamagedStore stored(Stop::kKilled);
  const std::string log = stored.newest_file(".log");
  std::string bytes = stored.bytes(log);
  const std::vector<std::size_t> headers = record_headers(bytes);
  bytes[headers[headers.size() - 3] + 10] ^= 1;
  const std::string path = stored.copy_with(log, bytes);
  const std::uint64_t commits = mark_in(path);
  for (int twice = 0; twice < 2; ++twice) {
    const auto counted = repair(path, false);
    if (!counted) FAIL(counted.error().message);
    CHECK(counted->lost_commits == 3);
    CHECK(counted->commits == commits - 3);
    CHECK(counted->reports == DamagedStore::kReports - 30);
    CHECK_FALSE(counted->dropped);
    CHECK(open_error(path) == ErrorCode::kStoreCorrupt);
  }
  const auto dropped = repair(path, true);
  if (!dropped) FAIL(dropped.error().message);
  CHECK(dropped->dropped);
  CHECK(mark_in(path) == commits - 3);
  const auto store = open_store(path);
  CHECK(verified_reports(*store) == DamagedStore::kReports - 30);
  append_new(*store, stored.task, make_reports(stored.task, DamagedStore::kReports - 30, DamagedStore::kReports));
}

TEST_CASE("repair of an undamaged store loses nothing, and makes a lost mark again") {
  const DamagedStore stored(Stop::kKilled);
  CHECK(repair(stored.copy(), false)->lost_commits == 0);
  const std::string path = stored.copy_without("newest");
  CHECK_FALSE(repair(path, false)->lost_commits);
  REQUIRE(repair(path, true));
  CHECK_FALSE(stored.is_named(path, "newest"));
}

TEST_CASE("repair changes nothing if more than the end of the log is damaged") {
  const DamagedStore stored(Stop::kKilled);
  const std::string log = stored.newest_file(".log");
  const std::string bytes = stored.bytes(log);
  const std::vector<std::size_t> headers = record_headers(bytes);
  std::string without = bytes;
  without.erase(headers[2], headers[3] - headers[2]);
  const std::string table = stored.newest_file(".sst");
  for (const std::string& path : {stored.copy_with(log, without), stored.copy_without(table)}) {
    CHECK(repair(path, true).error().code == ErrorCode::kStoreCorrupt);
  }
  CHECK(repair(stored.copy_without("CURRENT"), true).error().code == ErrorCode::kStoreFailed);
}

TEST_CASE("a store of another format is refused, and the error gives the format's number") {
  const TemporaryDirectory dir;
  { REQUIRE(open_store(dir / "s")); }
  for (const std::string format : {"4", "2", "7"}) {
    {
      RawDatabase raw(dir / "s");
      REQUIRE(raw->Put({}, raw.family(kMeta), "format", format).ok());
    }
    const auto opened = open({.path = dir / "s"});
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::kStoreFailed);
    CHECK(opened.error().message.find("format " + format) != std::string::npos);
  }
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
