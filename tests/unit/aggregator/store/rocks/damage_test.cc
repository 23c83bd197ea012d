// After damage on the disk the store has all acknowledged data, or the error names the damaged file.
#include "tests/unit/aggregator/store/rocks/damaged_store.h"

namespace hearsay::store::rocks::tests {
namespace {

using Stop = DamagedStore::Stop;
constexpr Stop kStops[] = {Stop::kKilled, Stop::kClean};

std::string flipped(std::string bytes, std::size_t at, unsigned bit) {
  bytes[at] = static_cast<char>(bytes[at] ^ (1U << bit));
  return bytes;
}

TEST_CASE("after a flipped bit, at 300 places in all kinds of files, the error names the file or nothing is lost") {
  constexpr std::size_t kPlaces = 300;
  for (const Stop stop : kStops) {
    const DamagedStore stored(stop);
    std::vector<std::string> files = stored.files();
    std::erase_if(files, [&](const std::string& name) { return stored.bytes(name).empty(); });
    for (const std::string kind : {".sst", ".blob", "MANIFEST", "CURRENT", "newest"}) {
      REQUIRE_FALSE(stored.files(kind).empty());
    }
    if (stop == Stop::kKilled) REQUIRE_FALSE(stored.bytes(stored.newest_file(".log")).empty());
    std::size_t named = 0;
    for (std::size_t i = 0; i < kPlaces / std::size(kStops); ++i) {
      const std::string& name = files[i % files.size()];
      const std::string bytes = stored.bytes(name);
      const std::size_t at = i * 7919 % bytes.size();
      CAPTURE(at);
      named += stored.is_named(stored.copy_with(name, flipped(bytes, at, i % 8)), name);
    }
    CHECK(named > kPlaces / std::size(kStops) / 4);
  }
}

// RocksDB takes a length that points beyond the end of the file for an interrupted write.
TEST_CASE(
    "after a flipped bit in a record header of the MANIFEST or the newest log, a store with less data does not open") {
  for (const Stop stop : kStops) {
    const DamagedStore stored(stop);
    for (const std::string kind : {"MANIFEST", ".log"}) {
      const std::string name = stored.newest_file(kind);
      const std::string bytes = stored.bytes(name);
      const std::vector<std::size_t> headers = record_headers(bytes);
      if (kind == "MANIFEST" || stop == Stop::kKilled) REQUIRE(headers.size() >= DamagedStore::kLogged);
      for (const std::size_t header : headers) {
        CAPTURE(header);
        for (const auto& [byte, bit] : {std::pair{0U, 0U}, {4U, 0U}, {4U, 7U}, {5U, 0U}, {5U, 6U}, {6U, 1U}}) {
          stored.is_named(stored.copy_with(name, flipped(bytes, header + byte, bit)), name);
        }
      }
    }
  }
}

TEST_CASE("a start that is refused does not change any file") {
  const DamagedStore stored(Stop::kClean);
  const std::string name = stored.newest_file("MANIFEST");
  const std::string bytes = stored.bytes(name);
  const std::size_t header = record_headers(bytes).at(1);
  const std::string path = stored.copy_with(name, flipped(bytes, header + 5, 6));
  CHECK(open_error(path) == ErrorCode::kStoreCorrupt);
  write_file(path + "/" + name, bytes);
  CHECK_FALSE(stored.is_named(path, name));
}

TEST_CASE("logs that are shortened, zeroed, emptied or deleted after a kill are damage") {
  const DamagedStore stored(Stop::kKilled);
  const std::string name = stored.newest_file(".log");
  const std::string bytes = stored.bytes(name);
  const std::vector<std::size_t> headers = record_headers(bytes);
  REQUIRE(headers.size() >= DamagedStore::kLogged);
  for (const std::size_t header : headers) {
    for (const std::size_t size : {header, header + 3, header + 7, header + 30}) {
      CAPTURE(size);
      CHECK(stored.is_named(stored.copy_with(name, bytes.substr(0, size)), name));
      std::string zeros = bytes.substr(0, size);
      zeros.resize(bytes.size());
      CHECK(stored.is_named(stored.copy_with(name, zeros), name));
    }
  }
  std::string hole = bytes;
  std::fill(hole.begin() + static_cast<std::ptrdiff_t>(headers[2]),
            hole.begin() + static_cast<std::ptrdiff_t>(headers[3]), '\0');
  CHECK(open_error(stored.copy_with(name, hole)) == ErrorCode::kStoreCorrupt);
  std::string without = bytes;
  without.erase(headers[2], headers[3] - headers[2]);
  CHECK(open_error(stored.copy_with(name, without)) == ErrorCode::kStoreCorrupt);
  CHECK(open_error(stored.copy_without(name)) == ErrorCode::kStoreCorrupt);
}

TEST_CASE("if a log is cut within a commit that was not acknowledged, only this commit is lost") {
  const TemporaryDirectory dir;
  const Task task = make_task();
  const auto store = open_store(dir / "s");
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 6));
  const std::string mark = read_file(dir / "s/newest");
  std::filesystem::copy(dir / "s", dir / "before");
  append_new(*store, task, make_reports(task, 6, 8));
  std::filesystem::copy(dir / "s", dir / "after");
  std::string log;
  for (const auto& entry : std::filesystem::directory_iterator(dir / "after")) {
    if (entry.path().extension() == ".log") log = std::max<std::string>(log, entry.path().filename());
  }
  const std::size_t begin = std::filesystem::file_size(dir / ("before/" + log));
  const std::string bytes = read_file(dir / ("after/" + log));
  REQUIRE(bytes.size() > begin + 7);
  // After a kill between a commit's write and its acknowledgement, the mark is still the mark of the commit before.
  write_file(dir / "after/newest", mark);
  for (const std::size_t size :
       {begin, begin + 1, begin + 6, begin + 7, (begin + bytes.size()) / 2, bytes.size() - 1}) {
    CAPTURE(size);
    std::filesystem::remove_all(dir / "copy");
    std::filesystem::copy(dir / "after", dir / "copy");
    write_file(dir / ("copy/" + log), bytes.substr(0, size));
    CHECK(verified_reports(*open_store(dir / "copy", true)) == 6);
    const auto cut = open_store(dir / "copy");
    CHECK(verified_reports(*cut) == 6);
    append_new(*cut, task, make_reports(task, 6, 10));
  }
}

TEST_CASE("an empty CURRENT and lost files are damage, and the start names them") {
  for (const Stop stop : kStops) {
    const DamagedStore stored(stop);
    CHECK(stored.is_named(stored.copy_with("CURRENT", ""), "CURRENT"));
    for (const std::string kind : {"CURRENT", "MANIFEST", ".sst", ".blob"}) {
      const std::string name = stored.newest_file(kind);
      CHECK(stored.is_named(stored.copy_without(name), name));
      if (kind == "CURRENT") continue;
      const std::string bytes = stored.bytes(name);
      CHECK(stored.is_named(stored.copy_with(name, ""), name));
      const bool cut_is_named = stored.is_named(stored.copy_with(name, bytes.substr(0, bytes.size() - 1)), name);
      if (kind != "MANIFEST") CHECK(cut_is_named);  // the MANIFEST without its last record may still name all files
    }
  }
}

TEST_CASE("after any file is emptied, zeroed or lost, the error names the file or nothing is lost") {
  for (const Stop stop : kStops) {
    const DamagedStore stored(stop);
    for (const std::string& name : stored.files()) {
      stored.is_named(stored.copy_with(name, ""), name);
      stored.is_named(stored.copy_with(name, std::string(stored.bytes(name).size(), '\0')), name);
      if (!name.ends_with(".log")) stored.is_named(stored.copy_without(name), name);
    }
  }
}

TEST_CASE("messages show bytes that are not text in hexadecimal") {
  const DamagedStore stored(Stop::kClean);
  for (const std::string current : {"MANIFEST-\x1b[2J\xff\n", "MANIFEST-\n", "\x07\x80\n", "MANIFEST-0\x9b\n"}) {
    const std::string path = stored.copy_with("CURRENT", current);
    CHECK(stored.is_named(path, "CURRENT"));
    const auto repaired = repair(path, true);
    REQUIRE_FALSE(repaired);
    CHECK(is_printable(repaired.error().message));
  }
  const auto nowhere = open({.path = stored.copy() + "/\x1b[2J\xff/\xc3\xa9", .read_only = true});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().message.find("/\\x1b[2J\\xff/\xc3\xa9") != std::string::npos);
}

TEST_CASE("the error about a flipped bit in a blob file names this file, although there are several") {
  const TemporaryDirectory dir;
  const Task task = make_task();
  for (std::uint64_t round = 0; round < 3; ++round) {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 400 * round, 400 * round + 400));
  }
  std::vector<std::string> blobs;
  for (const auto& entry : std::filesystem::directory_iterator(dir / "s")) {
    if (entry.path().extension() == ".blob") blobs.push_back(entry.path().filename());
  }
  REQUIRE(blobs.size() == 3);
  for (const std::string& blob : blobs) {
    const std::string bytes = read_file(dir / ("s/" + blob));
    for (const std::size_t at : {bytes.size() / 3, bytes.size() / 2}) {
      std::filesystem::remove_all(dir / "copy");
      std::filesystem::copy(dir / "s", dir / "copy");
      write_file(dir / ("copy/" + blob), flipped(bytes, at, 3));
      const auto store = open({.path = dir / "copy"});
      REQUIRE_FALSE(store);
      CHECK(store.error().code == ErrorCode::kStoreCorrupt);
      CAPTURE(store.error().message);
      CHECK(store.error().message.find(blob) != std::string::npos);
    }
  }
}

// The start reads reports and tallies. The rows of `ids` are read at their first use, and by verify().
TEST_CASE(
    "damage among the ids on the disk makes the next use of the store fail, and verify(), and the error names the "
    "file") {
  const TemporaryDirectory dir;
  const Task task = make_task();
  const std::vector<Report> reports = make_reports(task, 0, 400);
  {
    const auto store = open({.path = dir / "s", .max_index_bytes = 0});
    REQUIRE((*store)->add_task(task));
    append_new(**store, task, reports);
  }
  std::string table;
  {
    RawDatabase raw(dir / "s");
    std::vector<rocksdb::LiveFileMetaData> files;
    raw->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      if (file.column_family_name == "ids") table = file.relative_filename;
    }
  }
  REQUIRE_FALSE(table.empty());
  const std::string bytes = read_file(dir / ("s/" + table));
  write_file(dir / ("s/" + table), flipped(bytes, 100, 3));
  const auto store = open({.path = dir / "s", .max_index_bytes = 0});
  REQUIRE(store);
  const auto verified = verify(**store);
  REQUIRE_FALSE(verified);
  CHECK(verified.error().code == ErrorCode::kStoreCorrupt);
  CHECK(verified.error().message.find(table) != std::string::npos);
  CHECK((*store)->healthy());
  const auto again = append(**store, task, reports);
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::kStoreCorrupt);
  CHECK(again.error().message.find(table) != std::string::npos);
  CHECK_FALSE((*store)->healthy());
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
