// Plants entries that the store does not write. The start or verify() must name the damage.
#include <algorithm>
#include <functional>
#include <tuple>

#include "aggregator/tally/tally.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {
namespace {

void put_block(RawDatabase& raw, const BlockKey& key, const std::vector<Report>& reports) {
  std::string value = encode_integer(reports.size());
  std::vector<std::uint8_t> encoded;
  for (const Report& report : reports) append_report(report, encoded);
  value.append(encoded.begin(), encoded.end());
  REQUIRE(raw->Put({}, raw.family(kBlocks), key.encode(), value).ok());
}

std::string part_key(const Task& task, UnixSeconds window) { return PartKey{task.id(), window, {}}.encode(); }

// Makes a store with 10 reports, and changes its database by `change`. Returns the result of opening and verifying the
// store.
Result<VerifyResult> after_change(const std::function<void(RawDatabase&, const Task&)>& change) {
  const TemporaryDirectory dir;
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
  const auto store = open({.path = dir / "s"});
  if (!store) return store.error();
  return verify(**store);
}

TEST_CASE("verify() names a planted tally and a planted report") {
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
  const auto put_tally = [](RawDatabase& raw, const Task& task, std::uint64_t window, const tally::Tally& tally) {
    REQUIRE(raw->Put({}, raw.family(kTallies), part_key(task, kStart + window * kPrecision), tally.encode()).ok());
  };
  one("its sums are wrong", [&](RawDatabase& raw, const Task& task) {
    tally::Tally changed = tally_of(task, make_reports(task, 0, 4));
    REQUIRE(changed.add(task.channel(), make_report(task, 99).payload));
    put_tally(raw, task, 1, changed);
  });
  const auto found = differences([&](RawDatabase& raw, const Task& task) {
    std::vector<Report> reports;
    for (const std::uint64_t i : {1, 3, 5, 7, 9}) reports.push_back(make_report(task, i, 1));
    reports[2].payload.pop_back();
    put_block(raw, {task.id(), kStart + kPrecision, 1}, reports);
  });
  REQUIRE(found.size() == 2);
  CHECK(found[0].find("does not fit the task") != std::string::npos);
  CHECK(found[1].find("the tally counts 5 reports, and there are 4") != std::string::npos);
}

TEST_CASE("verify() names the reports whose ids the disk has lost or mixed up, and no other reports") {
  const TemporaryDirectory dir;
  const Task task = make_task();
  const Options no_memory{.path = dir / "s", .max_index_bytes = 0};
  const std::vector<Report> reports = make_reports(task, 0, 10, 2);
  {
    const auto store = open(no_memory);
    REQUIRE(store);
    REQUIRE((*store)->add_task(task));
    append_new(**store, task, reports);
    CHECK(verify(**store)->differences.empty());
  }
  {
    RawDatabase raw(dir / "s");
    const auto row = [&](std::size_t i) { return id_key(task.id(), reports[i].time, reports[i].id); };
    std::string other;
    REQUIRE(raw->Get({}, raw.family(kIds), row(7), &other).ok());
    REQUIRE(raw->Delete({}, raw.family(kIds), row(3)).ok());
    REQUIRE(raw->Put({}, raw.family(kIds), row(4), other).ok());
  }
  const auto store = open(no_memory);
  REQUIRE(store);
  const std::vector<std::string> found = verify(**store)->differences;
  REQUIRE(found.size() == 2);
  for (const std::size_t i : {3, 4}) {
    const std::string sentence = "the id of the report " + reports[i].id.to_string() + " is lost";
    CHECK(std::any_of(found.begin(), found.end(),
                      [&](const std::string& each) { return each.find(sentence) != std::string::npos; }));
  }
}

TEST_CASE("reports and tallies with different counts are damage, and the start names them") {
  const auto one = [&](const std::string& part, const auto& change) {
    const auto result = after_change(change);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kStoreCorrupt);
    CAPTURE(result.error().message);
    CHECK(result.error().message.find(part) != std::string::npos);
  };
  one("the tally counts 6 reports, and there are 5", [&](RawDatabase& raw, const Task& task) {
    REQUIRE(
        raw->Merge({}, raw.family(kTallies), part_key(task, kStart), tally_of(task, {make_report(task, 99)}).encode())
            .ok());
  });
  one("has 5 reports in 1 blocks, and there were 10 in 2", [&](RawDatabase& raw, const Task& task) {
    REQUIRE(raw->Delete({}, raw.family(kBlocks), BlockKey{task.id(), kStart, 0}.encode()).ok());
  });
  one("there are 5 reports but no tally", [&](RawDatabase& raw, const Task& task) {
    REQUIRE(raw->Delete({}, raw.family(kTallies), part_key(task, kStart)).ok());
  });
  one("the tally counts 1 reports, and there are 0", [&](RawDatabase& raw, const Task& task) {
    REQUIRE(raw->Put({}, raw.family(kTallies), part_key(task, kStart + 7 * kPrecision),
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

TEST_CASE("entries that do not have the store's format are damage") {
  const auto error = [](const auto& change) {
    const auto result = after_change(change);
    REQUIRE_FALSE(result);
    return result.error().code;
  };
  const auto put = [](Family family, const std::string& key, const std::string& value) {
    return [=](RawDatabase& raw, const Task&) { REQUIRE(raw->Put({}, raw.family(family), key, value).ok()); };
  };
  // Another format is no damage, but this version cannot read it.
  CHECK(error(put(kMeta, "format", "7")) == ErrorCode::kStoreFailed);
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
  // These blocks have an impossible number of reports, window, sequence or content.
  for (const auto& [window, sequence, count, extra] : {std::tuple{kStart, 0U, 4U, ""},
                                                       {kStart, 0U, 6U, ""},
                                                       {kStart + 1, 0U, 5U, ""},
                                                       {kStart + kPrecision, 1U, 5U, ""},
                                                       {kStart, 2U, 5U, ""},
                                                       {kStart, 0U, 5U, "x"}}) {
    CHECK(error([&, window = window, sequence = sequence, count = count, extra = extra](RawDatabase& raw,
                                                                                        const Task& task) {
            std::vector<std::uint8_t> encoded;
            for (const std::uint64_t i : {0, 2, 4, 6, 8}) append_report(make_report(task, i), encoded);
            const std::string value = encode_integer(count).append(encoded.begin(), encoded.end()).append(extra);
            REQUIRE(raw->Put({}, raw.family(kBlocks), BlockKey{task.id(), window, sequence}.encode(), value).ok());
          }) == ErrorCode::kStoreCorrupt);
  }
  CHECK(error([](RawDatabase& raw, const Task& task) {
          REQUIRE(raw->Put({}, raw.family(kSealed), window_key(task.id(), kStart), std::string(8, '\0')).ok());
        }) == ErrorCode::kStoreCorrupt);
  CHECK(error([](RawDatabase& raw, const Task& task) {
          REQUIRE(raw->Put({}, raw.family(kTallies), task_key(task.id()) + "short",
                           tally::Tally::empty(task.channel()).encode())
                      .ok());
        }) == ErrorCode::kStoreCorrupt);
}

TEST_CASE("a merge operand that cannot be merged is damage, and the start names and keeps it") {
  for (const bool foreign_shape : {false, true}) {
    const TemporaryDirectory dir;
    const Task task = make_task();
    {
      const auto store = open_store(dir / "s");
      REQUIRE(store->add_task(task));
      append_new(*store, task, make_reports(task, 0, 10));
    }
    {
      RawDatabase raw(dir / "s");
      const std::string operand =
          foreign_shape ? tally::Tally::empty(make_task("x", 9).channel()).encode() : "no tally";
      REQUIRE(raw->Merge({}, raw.family(kTallies), part_key(task, kStart), operand).ok());
    }
    CHECK(open_error(dir / "s") == ErrorCode::kStoreCorrupt);
  }
}

TEST_CASE(
    "a store of the previous format recognises its reports, and from then on windows are part of a report's identity") {
  for (const std::size_t bound : {std::size_t{0}, std::size_t{1} << 28U}) {
    const TemporaryDirectory dir;
    const Task task = make_task();
    const std::vector<Report> reports = make_reports(task, 0, 100, 3);
    {
      const auto store = open({.path = dir / "s", .max_index_bytes = 0});
      REQUIRE((*store)->add_task(task));
      append_new(**store, task, reports);
    }
    {
      // In format 5 the keys of ids had no window.
      RawDatabase raw(dir / "s");
      for (const Report& report : reports) {
        const std::string key = id_key(task.id(), report.time, report.id);
        std::string digest;
        REQUIRE(raw->Get({}, raw.family(kIds), key, &digest).ok());
        REQUIRE(raw->Delete({}, raw.family(kIds), key).ok());
        REQUIRE(raw->Put({}, raw.family(kIds), key.substr(0, 32) + key.substr(40), digest).ok());
      }
      REQUIRE(raw->Put({}, raw.family(kMeta), "format", "5").ok());
    }
    CHECK(verified_reports(*open_store(dir / "s", true)) == 100);
    for (int start = 0; start < 2; ++start) {
      const auto store = open({.path = dir / "s", .max_index_bytes = bound});
      if (!store) FAIL(store.error().message);
      CHECK(*append(**store, task, reports) == std::vector<AppendOutcome>(100, AppendOutcome::kReplayed));
      CHECK((*store)->statistics().spilled == (bound == 0));
      CHECK(verified_reports(**store) == 100 + static_cast<std::uint64_t>(start));
      Report elsewhere = reports[static_cast<std::size_t>(start)];
      elsewhere.time += 10 * kPrecision;
      append_new(**store, task, {elsewhere});
    }
    RawDatabase raw(dir / "s");
    std::uint64_t ids = 0;
    const std::unique_ptr<rocksdb::Iterator> each(raw->NewIterator({}, raw.family(kIds)));
    for (each->SeekToFirst(); each->Valid(); each->Next()) ids += each->key().size() == kIdKeySize ? 1 : 1000;
    CHECK(ids == (bound == 0 ? 102 : 0));
  }
}

TEST_CASE("a store of the first format is refused and left unchanged") {
  const TemporaryDirectory dir;
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
    const auto store = open({.path = dir / "s", .read_only = read_only});
    REQUIRE_FALSE(store);
    CHECK(store.error().code == ErrorCode::kStoreFailed);
    CHECK(store.error().message.find("has format 1") != std::string::npos);
  }
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
