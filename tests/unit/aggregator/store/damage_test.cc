// Bytes that change on the disk, files that are cut or lost, entries the store never wrote: what acknowledged data
// there is comes back whole, or the damage is named.
#include <fstream>
#include <functional>
#include <tuple>

#include "aggregator/store/wal.h"
#include "tests/unit/aggregator/store/store_fixture.h"

namespace hearsay::aggregator::tests {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The largest file in the directory with this ending.
std::string largest_file(const std::string& directory, const std::string& ending) {
  std::string largest;
  std::uintmax_t size = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (!entry.path().string().ends_with(ending) || entry.file_size() <= size) continue;
    largest = entry.path().filename();
    size = entry.file_size();
  }
  REQUIRE_FALSE(largest.empty());
  return largest;
}

std::uint64_t end_of(const std::string& log) {
  const auto end = end_of_wal(*rocksdb::FileSystem::Default(), log);
  if (!end) FAIL(end.error().message);
  return *end;
}

// A store with commits of 1, 5 and 2 reports, all in the log, and where the log's records end.
class LoggedStore {
 public:
  LoggedStore() {
    const auto store = open_store(dir_ / "s");
    REQUIRE(store->add_task(task));
    log_ = largest_file(dir_ / "s", ".log");
    const std::string path = dir_ / ("s/" + log_);
    for (const auto& [from, to] : {std::pair{0, 1}, {1, 6}, {6, 8}}) {
      ends_.push_back(end_of(path));
      append_new(*store, task, make_reports(task, from, to));
    }
    ends_.push_back(end_of(path));
    with_zeros_ = read_file(path);
    bytes_ = with_zeros_.substr(0, ends_.back());
  }

  // What was written, as a clean shutdown leaves it.
  const std::string& log() const { return bytes_; }
  // As a killed process leaves it: with the zeros that it would have written over.
  const std::string& log_with_zeros() const { return with_zeros_; }
  // End of the log's records: before the first append, and after each.
  const std::vector<std::uint64_t>& ends() const { return ends_; }

  // The path of a copy of the store whose log holds these bytes.
  std::string with_log(const std::string& bytes) const {
    const std::string path = dir_ / "copy";
    std::filesystem::remove_all(path);
    std::filesystem::copy(dir_ / "s", path);
    write_file(path + "/" + log_, bytes);
    return path;
  }
  Result<std::uint64_t> end_of_log(const std::string& bytes) const {
    REQUIRE(rocksdb::WriteStringToFile(memory_.get(), bytes, "/log").ok());
    return end_of_wal(*memory_->GetFileSystem(), "/log");
  }
  bool is_damaged(const std::string& bytes) const {
    const auto end = end_of_log(bytes);
    return !end && end.error().code == ErrorCode::kStoreCorrupt;
  }

  const Task task = make_task();

 private:
  TempDir dir_;
  std::unique_ptr<rocksdb::Env> memory_{rocksdb::NewMemEnv(rocksdb::Env::Default())};
  std::string log_;
  std::string bytes_;
  std::string with_zeros_;
  std::vector<std::uint64_t> ends_;
};

TEST_CASE("a log cut anywhere in its last commit loses that commit alone") {
  const LoggedStore logged;
  const std::uint64_t begin = logged.ends()[2];
  const std::uint64_t end = logged.ends()[3];
  CHECK(logged.end_of_log(logged.log()).value() == end);
  CHECK(logged.end_of_log(logged.log_with_zeros()).value() == end);
  for (std::uint64_t size = begin; size < end; ++size) {
    CAPTURE(size);
    CHECK(logged.end_of_log(logged.log().substr(0, size)).value() == begin);
  }
  // Cuts in the header, behind it, in the middle, and before the last byte.
  for (const std::uint64_t size : {begin, begin + 1, begin + 6, begin + 7, (begin + end) / 2, end - 1}) {
    CAPTURE(size);
    const std::string path = logged.with_log(logged.log().substr(0, size));
    {
      const auto reader = open_store(path, true);
      CHECK(verified_reports(*reader) == 6);
    }
    {
      const auto store = open_store(path);
      CHECK(verified_reports(*store) == 6);
      append_new(*store, logged.task, make_reports(logged.task, 6, 10));
    }
    CHECK(whole_tally(*open_store(path), logged.task) == tally_of(logged.task, make_reports(logged.task, 0, 10)));
  }
  // A file system may have given the cut file its length back, filled with zeros.
  std::string padded = logged.log().substr(0, begin);
  padded.resize(end);
  CHECK(verified_reports(*open_store(logged.with_log(padded))) == 6);
}

TEST_CASE("a changed byte anywhere in the log is damage") {
  const LoggedStore logged;
  for (std::size_t at = 0; at < logged.log().size(); ++at) {
    for (const char flip : {'\x01', '\x80'}) {
      CAPTURE(at);
      std::string bytes = logged.log();
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      CHECK(logged.is_damaged(bytes));
      std::string with_zeros = logged.log_with_zeros();
      with_zeros[at] = bytes[at];
      CHECK(logged.is_damaged(with_zeros));
    }
  }
  // Through the front door: each field of the header, and the contents, of the first and the last append.
  for (const std::uint64_t begin : {logged.ends()[0], logged.ends()[2]}) {
    for (const std::uint64_t at : {begin, begin + 4, begin + 5, begin + 6, begin + 60}) {
      CAPTURE(at);
      std::string bytes = logged.log();
      bytes[at] = static_cast<char>(bytes[at] ^ '\x40');
      CHECK(open_error(logged.with_log(bytes)) == ErrorCode::kStoreCorrupt);
      bytes.resize(logged.log_with_zeros().size());
      CHECK(open_error(logged.with_log(bytes)) == ErrorCode::kStoreCorrupt);
    }
  }
}

TEST_CASE("commits missing in the middle of the log are damage, in whatever way they went") {
  const LoggedStore logged;
  const auto& ends = logged.ends();
  std::string zeros = logged.log();
  std::fill(zeros.begin() + static_cast<std::ptrdiff_t>(ends[1]), zeros.begin() + static_cast<std::ptrdiff_t>(ends[2]),
            0);
  // RocksDB would skip the block from the zeros on, and nothing behind is left to contradict.
  CHECK(open_error(logged.with_log(zeros)) == ErrorCode::kStoreCorrupt);
  std::string without = logged.log();
  without.erase(ends[1], ends[2] - ends[1]);
  CHECK(open_error(logged.with_log(without)) == ErrorCode::kStoreCorrupt);
  // A garbled sector that covers a header and makes it point behind the end.
  std::string garbled = logged.log();
  std::fill(garbled.begin() + static_cast<std::ptrdiff_t>(ends[1]),
            garbled.begin() + static_cast<std::ptrdiff_t>(ends[1]) + 20, '\xff');
  CHECK(open_error(logged.with_log(garbled)) == ErrorCode::kStoreCorrupt);
}

TEST_CASE("large commits over many blocks of the log, cut within and between blocks") {
  const TempDir dir;
  const Task task = make_task("large", 64);
  std::string log;
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 0, 10));
    append_new(*store, task, make_reports(task, 10, 1500));
    log = largest_file(dir / "s", ".log");
  }
  const std::string bytes = read_file(dir / ("s/" + log));
  constexpr std::size_t kBlock = 32'768;
  REQUIRE(bytes.size() > 6 * kBlock);
  for (const std::size_t size :
       {2 * kBlock, 3 * kBlock - 3, 3 * kBlock, 3 * kBlock + 5, 5 * kBlock + 1000, bytes.size() - 1}) {
    CAPTURE(size);
    std::filesystem::remove_all(dir / "copy");
    std::filesystem::copy(dir / "s", dir / "copy");
    write_file(dir / ("copy/" + log), bytes.substr(0, size));
    CHECK(verified_reports(*open_store(dir / "copy")) == 10);
  }
  std::string flipped = bytes;
  flipped[4 * kBlock + 4] = static_cast<char>(flipped[4 * kBlock + 4] ^ 1);  // a length in the middle
  std::filesystem::remove_all(dir / "copy");
  std::filesystem::copy(dir / "s", dir / "copy");
  write_file(dir / ("copy/" + log), flipped);
  CHECK(open_error(dir / "copy") == ErrorCode::kStoreCorrupt);
}

TEST_CASE("a changed byte in a table is damage once it is read, and never a wrong answer") {
  const TempDir dir;
  const Task task = make_task();
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 0, 200));
    REQUIRE(store->snapshot(dir / "tables"));
  }
  std::vector<std::string> tables;
  for (const auto& entry : std::filesystem::directory_iterator(dir / "tables")) {
    if (entry.path().extension() == ".sst") tables.push_back(entry.path().filename());
  }
  REQUIRE(tables.size() == 4);  // meta, tasks, blocks, tallies
  std::size_t damaged = 0;
  for (const std::string& table : tables) {
    const std::string bytes = read_file(dir / ("tables/" + table));
    for (const std::size_t at : {std::size_t{5}, bytes.size() / 3, bytes.size() - 5}) {
      CAPTURE(table);
      CAPTURE(at);
      std::filesystem::remove_all(dir / "copy");
      std::filesystem::copy(dir / "tables", dir / "copy");
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
      write_file(dir / ("copy/" + table), flipped);
      const auto store = open_rocks_store({.path = dir / "copy"});
      const auto verified = store ? verify(**store) : Result<VerifyResult>(store.error());
      if (!verified) {
        CHECK(verified.error().code == ErrorCode::kStoreCorrupt);
        ++damaged;
        // An append that meets the damage takes nothing, and nothing after it.
        if (store && !append(**store, task, make_reports(task, 0, 200))) CHECK_FALSE((*store)->healthy());
      } else {
        // A part that no read needs, such as a statistic.
        CHECK(verified->differences.empty());
        CHECK(verified->reports == 200);
      }
    }
  }
  // The first bytes are data in every table, and the last its footer.
  CHECK(damaged >= 8);
}

TEST_CASE("lost and shortened tables are damage at the start") {
  const TempDir dir;
  const Task task = make_task();
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 0, 20));
    REQUIRE(store->snapshot(dir / "tables"));
  }
  const std::string table = largest_file(dir / "tables", ".sst");
  for (const bool lost : {false, true}) {
    std::filesystem::remove_all(dir / "copy");
    std::filesystem::copy(dir / "tables", dir / "copy");
    const std::string path = dir / ("copy/" + table);
    if (lost) {
      std::filesystem::remove(path);
    } else {
      std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    }
    CHECK(open_error(dir / "copy") == ErrorCode::kStoreCorrupt);
  }
}

void put_block(RawDatabase& raw, const BlockKey& key, const std::vector<Report>& reports) {
  const IntegerBytes count = encode_integer(reports.size());
  std::string value(count.data(), count.size());
  std::vector<std::uint8_t> encoded;
  for (const Report& report : reports) append_report(report, encoded);
  value.append(encoded.begin(), encoded.end());
  REQUIRE(raw->Put({}, raw.family(kBlocks), key.encode(), value).ok());
}

// Makes a store with 10 reports, changes it behind the store's back and gives what opening says, or verifying.
Result<VerifyResult> after_change(const std::function<void(RawDatabase&, const Task&)>& change) {
  const TempDir dir;
  const Task task = make_task();
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 0, 10, 2));
  }
  {
    RawDatabase raw(dir / "s");
    change(raw, task);
  }
  const auto store = open_rocks_store({.path = dir / "s"});
  if (!store) return store.error();
  return verify(**store);
}

TEST_CASE("verify names a planted tally and a planted report") {
  const auto differences = [](const auto& change) {
    const auto result = after_change(change);
    if (!result) FAIL(result.error().message);
    return result->differences;
  };
  const auto one = [&](const std::string& part, const auto& change) {
    const auto found = differences(change);
    REQUIRE(found.size() == 1);
    CAPTURE(found[0]);
    CHECK(found[0].find(part) != std::string::npos);
  };
  CHECK(differences([](RawDatabase&, const Task&) {}).empty());
  const auto put_tally = [](RawDatabase& raw, const Task& task, std::uint64_t window, const Tally& tally) {
    REQUIRE(
        raw->Put({}, raw.family(kTallies), tally_key(task.id(), kStart + window * kPrecision), tally.encode()).ok());
  };
  one("other sums", [&](RawDatabase& raw, const Task& task) {
    Tally changed = tally_of(task, make_reports(task, 0, 4));
    REQUIRE(task.channel().add(make_report(task, 99).payload, changed));
    put_tally(raw, task, 1, changed);
  });
  const auto found = differences([&](RawDatabase& raw, const Task& task) {
    // As many reports as before, but one of another shape.
    std::vector<Report> reports;
    for (const std::uint64_t i : {1, 3, 5, 7, 9}) reports.push_back(make_report(task, i, 1));
    reports[2].payload.pop_back();
    put_block(raw, {task.id(), kStart + kPrecision, 1}, reports);
  });
  REQUIRE(found.size() == 2);
  CHECK(found[0].find("is none of this task's") != std::string::npos);
  CHECK(found[1].find("the tally counts 5 reports, and there are 4") != std::string::npos);
}

TEST_CASE("verify names the reports whose ids the disk has lost or mixed up, and no other") {
  const TempDir dir;
  const Task task = make_task();
  const RocksStoreOptions no_memory{.path = dir / "s", .max_index_bytes = 0};
  const std::vector<Report> reports = make_reports(task, 0, 10, 2);
  {
    const auto store = open_rocks_store(no_memory);
    REQUIRE(store);
    REQUIRE((*store)->add_task(task));
    append_new(**store, task, reports);
    CHECK(verify(**store)->differences.empty());
  }
  {
    RawDatabase raw(dir / "s");
    const auto row = [&](std::size_t i) {
      const IdKey key = id_key(task.id(), reports[i].id);
      return std::string(key.data(), key.size());
    };
    std::string other;
    REQUIRE(raw->Get({}, raw.family(kIds), row(7), &other).ok());
    REQUIRE(raw->Delete({}, raw.family(kIds), row(3)).ok());
    REQUIRE(raw->Put({}, raw.family(kIds), row(4), other).ok());
  }
  const auto store = open_rocks_store(no_memory);
  REQUIRE(store);
  const std::vector<std::string> found = verify(**store)->differences;
  REQUIRE(found.size() == 2);
  for (const std::size_t i : {3, 4}) {
    const std::string sentence = "the id of the report " + reports[i].id.to_string() + " is lost";
    CHECK(std::any_of(found.begin(), found.end(),
                      [&](const std::string& each) { return each.find(sentence) != std::string::npos; }));
  }
}

TEST_CASE("reports and tallies that do not count alike are damage at the start, and named") {
  const auto one = [&](const std::string& part, const auto& change) {
    const auto result = after_change(change);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kStoreCorrupt);
    CAPTURE(result.error().message);
    CHECK(result.error().message.find(part) != std::string::npos);
  };
  one("the tally counts 6 reports, and there are 5", [&](RawDatabase& raw, const Task& task) {
    REQUIRE(raw->Merge({}, raw.family(kTallies), tally_key(task.id(), kStart),
                       tally_of(task, {make_report(task, 99)}).encode())
                .ok());
  });
  one("has 5 reports in 1 blocks, and there were 10 in 2", [&](RawDatabase& raw, const Task& task) {
    REQUIRE(raw->Delete({}, raw.family(kBlocks), BlockKey{task.id(), kStart, 0}.encode()).ok());
  });
  one("there are 5 reports but no tally", [&](RawDatabase& raw, const Task& task) {
    REQUIRE(raw->Delete({}, raw.family(kTallies), tally_key(task.id(), kStart)).ok());
  });
  one("the tally counts 1 reports, and there are 0", [&](RawDatabase& raw, const Task& task) {
    REQUIRE(raw->Put({}, raw.family(kTallies), tally_key(task.id(), kStart + 7 * kPrecision),
                     tally_of(task, {make_report(task, 99)}).encode())
                .ok());
  });
  one("has the report " + make_report(make_task(), 8).id.to_string() + " twice",
      [&](RawDatabase& raw, const Task& task) {
        std::vector<Report> reports;
        for (const std::uint64_t i : {0, 2, 4, 6, 8}) reports.push_back(make_report(task, i));
        reports[1] = reports[4];
        put_block(raw, {task.id(), kStart, 0}, reports);
      });
  one("has 0 tasks, and there were 1", [&](RawDatabase& raw, const Task& task) {
    REQUIRE(raw->Delete({}, raw.family(kTasks), task_key(task.id())).ok());
  });
}

TEST_CASE("entries that are not of the format are damage") {
  const auto error = [](const auto& change) {
    const auto result = after_change(change);
    REQUIRE_FALSE(result);
    return result.error().code;
  };
  const auto put = [](Family family, const std::string& key, const std::string& value) {
    return [=](RawDatabase& raw, const Task&) { REQUIRE(raw->Put({}, raw.family(family), key, value).ok()); };
  };
  CHECK(error(put(kMeta, "format", "3")) == ErrorCode::kStoreFailed);  // not damage, but not readable
  CHECK(error(put(kMeta, "last", Totals{1, 10}.encode())) == ErrorCode::kStoreCorrupt);
  CHECK(error(put(kMeta, "sum", "short")) == ErrorCode::kStoreCorrupt);
  CHECK(error(put(kMeta, "ids_from", "short")) == ErrorCode::kStoreCorrupt);
  CHECK(error(put(kTasks, std::string(32, 'k'), std::string(16, 'v') + "{}")) == ErrorCode::kStoreCorrupt);
  CHECK(error([](RawDatabase& raw, const Task&) { REQUIRE(raw->Delete({}, raw.family(kMeta), "format").ok()); }) ==
        ErrorCode::kStoreCorrupt);
  CHECK(error([](RawDatabase& raw, const Task& task) {
          REQUIRE(raw->Put({}, raw.family(kTasks), task_key(task.id()),
                           task_value({{make_task("another"), std::nullopt}, 0}))
                      .ok());
        }) == ErrorCode::kStoreCorrupt);
  CHECK(error([](RawDatabase& raw, const Task& task) {
          REQUIRE(raw->Put({}, raw.family(kBlocks), task_key(task.id()) + "short", "x").ok());
        }) == ErrorCode::kStoreCorrupt);
  // Blocks whose number of reports, window, sequence or contents cannot be.
  for (const auto& [window, sequence, count, extra] : {std::tuple{kStart, 0U, 4U, ""},
                                                       {kStart, 0U, 6U, ""},
                                                       {kStart + 1, 0U, 5U, ""},
                                                       {kStart + kPrecision, 1U, 5U, ""},
                                                       {kStart, 2U, 5U, ""},
                                                       {kStart, 0U, 5U, "x"}}) {
    CHECK(error([&, window = window, sequence = sequence, count = count, extra = extra](RawDatabase& raw,
                                                                                        const Task& task) {
            const IntegerBytes reports = encode_integer(count);
            std::vector<std::uint8_t> encoded;
            for (const std::uint64_t i : {0, 2, 4, 6, 8}) append_report(make_report(task, i), encoded);
            const std::string value =
                std::string(reports.data(), reports.size()).append(encoded.begin(), encoded.end()).append(extra);
            REQUIRE(raw->Put({}, raw.family(kBlocks), BlockKey{task.id(), window, sequence}.encode(), value).ok());
          }) == ErrorCode::kStoreCorrupt);
  }
  CHECK(error([](RawDatabase& raw, const Task& task) {
          REQUIRE(raw->Put({}, raw.family(kSealed), tally_key(task.id(), kStart), std::string(8, '\0')).ok());
        }) == ErrorCode::kStoreCorrupt);
  CHECK(error([](RawDatabase& raw, const Task& task) {
          REQUIRE(
              raw->Put({}, raw.family(kTallies), task_key(task.id()) + "short", task.channel().empty_tally().encode())
                  .ok());
        }) == ErrorCode::kStoreCorrupt);
}

TEST_CASE("an operand that does not merge is damage at the start and is not dropped") {
  for (const bool foreign_shape : {false, true}) {
    const TempDir dir;
    const Task task = make_task();
    {
      const auto store = open_store(dir / "s");
      REQUIRE(store->add_task(task));
      append_new(*store, task, make_reports(task, 0, 10));
    }
    {
      RawDatabase raw(dir / "s");
      const std::string operand = foreign_shape ? make_task("x", 9).channel().empty_tally().encode() : "no tally";
      REQUIRE(raw->Merge({}, raw.family(kTallies), tally_key(task.id(), kStart), operand).ok());
    }
    CHECK(open_error(dir / "s") == ErrorCode::kStoreCorrupt);
  }
}

TEST_CASE("a store of the first format is refused and left as it is") {
  const TempDir dir;
  {
    rocksdb::DB* opened = nullptr;
    rocksdb::Options options;
    options.create_if_missing = true;
    REQUIRE(rocksdb::DB::Open(options, dir / "s", &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    rocksdb::ColumnFamilyHandle* reports = nullptr;
    REQUIRE(db->CreateColumnFamily({}, "reports", &reports).ok());
    REQUIRE(db->DestroyColumnFamilyHandle(reports).ok());
  }
  for (const bool read_only : {false, true}) {
    const auto store = open_rocks_store({.path = dir / "s", .read_only = read_only});
    REQUIRE_FALSE(store);
    CHECK(store.error().code == ErrorCode::kStoreFailed);
    CHECK(store.error().message.find("has format 1") != std::string::npos);
  }
}

TEST_CASE("a store whose making was cut short is made") {
  const TempDir dir;
  { const RawDatabase raw(dir / "s"); }
  CHECK(open_rocks_store({.path = dir / "s", .read_only = true}).error().code == ErrorCode::kStoreFailed);
  CHECK(open_store(dir / "s")->tasks()->empty());
}

}  // namespace
}  // namespace hearsay::aggregator::tests
