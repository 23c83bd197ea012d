// After a full disk or a failed write or sync the store acknowledges and accepts nothing. The next start finds all that
// was acknowledged. Any other batch is stored whole or not at all.
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/tally/tally.h"
#include "tests/unit/aggregator/store/rocks/faulty_file_system.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {
namespace {

struct FaultyStore {
  FaultyStore() = default;
  explicit FaultyStore(const std::string& path, std::size_t max_index_bytes = Options{}.max_index_bytes) {
    const auto opened = open(path, max_index_bytes);
    if (!opened) FAIL(opened.error().message);
  }
  Result<void> open(const std::string& path, std::size_t max_index_bytes) {
    HEARSAY_TRY(store, RocksStore::open({.path = path, .max_index_bytes = max_index_bytes}, env.get()));
    return {};
  }
  std::shared_ptr<FaultyFileSystem> files = std::make_shared<FaultyFileSystem>();
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  std::unique_ptr<RocksStore> store;  // the last member, since the store uses the others until its end
};

void check_failed(const Result<std::vector<AppendOutcome>>& outcomes) {
  REQUIRE_FALSE(outcomes);
  CHECK(outcomes.error().code == ErrorCode::kStoreFailed);
}

TEST_CASE("after a failed write or sync of the log the store accepts nothing until it is started again") {
  const Task task = make_task();
  const std::vector<Report> acknowledged = make_reports(task, 0, 20, 2);
  const std::vector<Report> failed = make_reports(task, 20, 30, 2);
  for (const Fault fault : {Fault::kNoSpace, Fault::kTornWrite, Fault::kSync}) {
    CAPTURE(static_cast<int>(fault));
    const TemporaryDirectory dir;
    {
      FaultyStore faulty(dir / "s");
      Store& store = *faulty.store;
      REQUIRE(store.add_task(task));
      append_new(store, task, acknowledged);
      CHECK(store.healthy());
      faulty.files->inject(fault, ".log");
      check_failed(append(store, task, failed));
      CHECK_FALSE(store.healthy());
      CHECK(store.failure().value().message.find("planted") != std::string::npos);
      // The disk recovers. The store must still refuse, since it cannot know which writes the kernel has dropped.
      faulty.files->inject(Fault::kNone, "");
      check_failed(append(store, task, failed));
      check_failed(append(store, task, {acknowledged[0]}));
      CHECK(store.add_task(make_task("second")).error().code == ErrorCode::kStoreFailed);
      CHECK(store.add_task(task));  // the task is already on the disk
      CHECK(store.close_task(task.id(), 1).error().code == ErrorCode::kStoreFailed);
      CHECK(store.delete_task(task.id()).error().code == ErrorCode::kStoreFailed);
      CHECK(whole_tally(store, task) == tally_of(task, acknowledged));
    }
    const auto store = open_store(dir / "s");
    const std::uint64_t stored = verified_reports(*store);
    CHECK((stored == 20 || stored == 30));
    if (fault != Fault::kSync) CHECK(stored == 20);
    REQUIRE(append(*store, task, failed));
    REQUIRE(append(*store, task, acknowledged));
    CHECK(whole_tally(*store, task) == tally_of(task, make_reports(task, 0, 30, 2)));
    CHECK(verified_reports(*store) == 30);
  }
}

TEST_CASE("RocksDB's own log cannot break the store when the disk is full") {
  const Task task = make_task();
  const TemporaryDirectory dir;
  FaultyStore faulty;
  faulty.files->inject(Fault::kNoSpace, "LOG");
  REQUIRE(faulty.open(dir / "s", Options{}.max_index_bytes));
  REQUIRE(faulty.store->add_task(task));
  for (int round = 0; round < 3; ++round) {
    append_new(*faulty.store, task, make_reports(task, 10 * round, 10 * round + 10, 2));
    REQUIRE(faulty.store->backup(dir / "b", 1));
  }
  CHECK(faulty.store->healthy());
  CHECK_FALSE(faulty.store->failure());
}

TEST_CASE("after a power cut every acknowledged commit is whole, and no other commit is there in part") {
  const Task task = make_task();
  const std::vector<Report> acknowledged = make_reports(task, 0, 9, 2);
  const std::vector<Report> failed = make_reports(task, 9, 50, 2);
  const TemporaryDirectory dir;
  std::string log, after;
  std::size_t synced = 0;
  {
    FaultyStore faulty(dir / "s");
    REQUIRE(faulty.store->add_task(task));
    for (const Report& report : acknowledged) append_new(*faulty.store, task, {report});
    for (const auto& entry : std::filesystem::directory_iterator(dir / "s")) {
      if (entry.path().extension() == ".log") log = entry.path().filename();
    }
    REQUIRE_FALSE(log.empty());
    synced = std::filesystem::file_size(dir / ("s/" + log));
    faulty.files->inject(Fault::kSync, ".log");
    check_failed(append(*faulty.store, task, failed));
    std::filesystem::copy(dir / "s", dir / "cut");
    REQUIRE(rocksdb::ReadFileToString(rocksdb::Env::Default(), dir / ("cut/" + log), &after).ok());
  }
  REQUIRE(after.size() > synced);
  // Any number of bytes of the unsynced commit may have reached the disk.
  for (std::size_t size = synced; size <= after.size();
       size += size + 1 == after.size() ? 1 : (after.size() - size + 9) / 10) {
    CAPTURE(size);
    std::filesystem::remove_all(dir / "copy");
    std::filesystem::copy(dir / "cut", dir / "copy");
    std::filesystem::resize_file(dir / ("copy/" + log), size);
    const std::size_t reports = size == after.size() ? 50 : 9;
    const auto store = open_store(dir / "copy");
    CHECK(verified_reports(*store) == reports);
    CHECK(whole_tally(*store, task) == tally_of(task, make_reports(task, 0, reports, 2)));
    if (size == after.size()) break;
  }
}

TEST_CASE("if the disk is full while RocksDB writes tables or blob files, the store stops and its data are unharmed") {
  const Task task = make_task();
  constexpr std::uint64_t kReports = 500;  // so many reports make a block that RocksDB puts into a blob file
  for (const std::string suffix : {".sst", ".blob"}) {
    CAPTURE(suffix);
    const TemporaryDirectory dir;
    {
      FaultyStore faulty(dir / "s");
      REQUIRE(faulty.store->add_task(task));
      append_new(*faulty.store, task, make_reports(task, 0, kReports));
      faulty.files->inject(Fault::kNoSpace, suffix);
      CHECK(faulty.store->backup(dir / "backups", 0).error().code == ErrorCode::kStoreFailed);
      check_failed(append(*faulty.store, task, make_reports(task, kReports, kReports + 10)));
      CHECK_FALSE(faulty.store->healthy());
    }
    const auto store = open_store(dir / "s");
    CHECK(verified_reports(*store) == kReports);
    append_new(*store, task, make_reports(task, kReports, kReports + 10));
  }
}

// Makes `act` fail at the first, second, ... write or sync of the log, until `act` succeeds. Each try begins with a
// copy of the store at `original`. `check` examines the store after each try. A commit is a write and a sync.
template <class Act, class Check>
void fail_at_every_write(const std::string& original, const std::string& copy, std::size_t least_commits,
                         const Act& act, const Check& check) {
  constexpr std::size_t kMostWrites = 100;
  std::size_t spared = 0;
  for (bool failed = true; failed; ++spared) {
    REQUIRE(spared < kMostWrites);
    std::filesystem::remove_all(copy);
    std::filesystem::copy(original, copy, std::filesystem::copy_options::recursive);
    failed = !act(copy, spared);
    CAPTURE(spared);
    check(copy);
  }
  CHECK(spared > 2 * least_commits);
}

TEST_CASE("if any write of the removal of old reports fails, the removal continues later, and no count is lost") {
  constexpr std::uint64_t kWindowsUsed = 300;
  // Each report is in a block of its own. There are more blocks than one commit removes.
  constexpr std::uint64_t kReports = 14 * kWindowsUsed;
  constexpr std::size_t kBound = 0;  // so ids are on the disk, and are removed with their reports
  TaskSpec spec = make_task("aging").spec();
  spec.report_expiry_age = 600;
  const Task task = *Task::create(spec);
  const UnixSeconds now = kStart + kWindowsUsed * kPrecision + 600;
  const TemporaryDirectory dir;
  {
    FaultyStore whole(dir / "s", kBound);
    REQUIRE(whole.store->add_task(task));
    for (std::uint64_t from = 0; from < kReports; from += kWindowsUsed) {
      append_new(*whole.store, task, make_reports(task, from, from + kWindowsUsed, kWindowsUsed));
    }
  }
  const tally::Tally tally = tally_of(task, make_reports(task, 0, kReports));
  const auto forget = [&](const std::string& path, std::size_t spared) {
    FaultyStore faulty(path, kBound);
    faulty.files->inject(Fault::kTornWrite, ".log", spared);
    return !faulty.store->expire(now).failure;
  };
  fail_at_every_write(dir / "s", dir / "copy", 3, forget, [&](const std::string& path) {
    FaultyStore after(path, kBound);
    Store& store = *after.store;
    CHECK(whole_tally(store, task) == tally);
    const std::uint64_t left = store.statistics().reports;
    CHECK(forget_expired(store, now) == left);
    CHECK(store.statistics().reports == 0);
    CHECK(whole_tally(store, task) == tally);
    CHECK(verified_reports(store) == 0);
    const auto late = append(store, task, make_reports(task, 0, 10, kWindowsUsed));
    REQUIRE(late);
    CHECK(*late == std::vector<AppendOutcome>(10, AppendOutcome::kExpired));
  });
}

TEST_CASE("if a start fails while it moves ids to the disk or back, no id is lost") {
  constexpr std::uint64_t kReports = 9000;  // one commit moves fewer ids
  constexpr std::size_t kRoomy = std::size_t{1} << 28U;
  const Task task = make_task("small", 1);
  const TemporaryDirectory dir;
  {
    FaultyStore whole(dir / "s", kRoomy);
    REQUIRE(whole.store->add_task(task));
    for (std::uint64_t from = 0; from < kReports; from += 1000) {
      append_new(*whole.store, task, make_reports(task, from, from + 1000));
    }
  }
  const auto start = [](std::size_t bound) {
    return [bound](const std::string& path, std::size_t spared) {
      FaultyStore faulty;
      faulty.files->inject(Fault::kTornWrite, ".log", spared);
      return static_cast<bool>(faulty.open(path, bound));
    };
  };
  std::vector<Report> again;
  for (std::uint64_t i = 0; i < kReports; i += 89) again.push_back(make_report(task, i));
  const auto all_known = [&](std::size_t bound) {
    return [&, bound](const std::string& path) {
      FaultyStore after(path, bound);
      const auto outcomes = append(*after.store, task, again);
      REQUIRE(outcomes);
      CHECK(*outcomes == std::vector<AppendOutcome>(again.size(), AppendOutcome::kReplayed));
      CHECK(after.store->statistics().reports == kReports);
    };
  };
  fail_at_every_write(dir / "s", dir / "spilled", 2, start(0), all_known(0));
  CHECK(FaultyStore(dir / "spilled", 0).store->statistics().spilled);
  fail_at_every_write(dir / "spilled", dir / "copy", 1, start(kRoomy), all_known(0));
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
