#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store::postgres::tests {
namespace {

using enum AppendOutcome;

TEST_CASE("copies of the same reports in two stores at the same time are counted once") {
  constexpr std::uint64_t kReports = 10'000;
  constexpr std::uint64_t kBatch = 500;
  TestDatabase database;
  const Task task = make_task();
  const std::vector<std::unique_ptr<Store>> stores = [&] {
    std::vector<std::unique_ptr<Store>> opened;
    opened.push_back(database.open("first"));
    opened.push_back(database.open("second"));
    return opened;
  }();
  REQUIRE(stores[0]->add_task(task));
  const std::vector<Report> reports = make_reports(task, 0, kReports, 3);
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> replayed = 0;
  std::vector<std::thread> threads;
  for (std::size_t s = 0; s < 2; ++s) {
    threads.emplace_back([&, s] {
      // Each store gets every report. The two orders divide batches differently.
      for (std::uint64_t from = 0; from < kReports; from += kBatch) {
        std::vector<Report> batch;
        for (std::uint64_t i = from; i < from + kBatch; ++i) {
          const std::uint64_t at = s == 0 ? i : kReports - 1 - i;
          batch.push_back(reports[at * 7919 % kReports]);
        }
        const auto outcomes = append(*stores[s], task, batch);
        if (!outcomes) {
          ADD_FAIL_AT(__FILE__, __LINE__, outcomes.error().message);
          return;
        }
        for (const AppendOutcome outcome : *outcomes) ++(outcome == kAccepted ? accepted : replayed);
        if (from % 2000 == 0 && !stores[s]->check_directory()) ADD_FAIL_AT(__FILE__, __LINE__, "no upkeep");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(accepted == kReports);
  CHECK(replayed == kReports);
  for (const auto& store : stores) CHECK(whole_tally(*store, task) == tally_of(task, reports));
  CHECK(stores[1]->counts(task).reports == kReports);
  CHECK(verified_reports(*stores[0]) == kReports);
}

TEST_CASE("folding during appends loses nothing and counts nothing twice") {
  TestDatabase database;
  const Task task = make_task();
  const auto writer = database.open("writer");
  const auto folder = database.open("folder");
  REQUIRE(writer->add_task(task));
  std::atomic<bool> done = false;
  std::thread folding([&] {
    while (!done) {
      if (!folder->check_directory()) ADD_FAIL_AT(__FILE__, __LINE__, "no fold");
    }
  });
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    append_new(*writer, task, {make_report(task, 2 * i), make_report(task, 2 * i + 1, 1)});
    const std::uint64_t now = whole_tally(*folder, task).reports();
    CHECK(now == 2 * (i + 1));
    CHECK(now >= seen);
    seen = now;
  }
  done = true;
  folding.join();
  REQUIRE(folder->check_directory());
  CHECK(database.run("SELECT count(*) FROM hearsay.deltas") == "0");
  std::vector<Report> all;
  for (std::uint64_t i = 0; i < 400; ++i) all.push_back(make_report(task, i, i % 2));
  CHECK(whole_tally(*writer, task) == tally_of(task, all));
  CHECK(verified_reports(*writer) == 400);
}

TEST_CASE("after one store has closed or deleted a task, or sealed a window, the other store accepts no report") {
  TestDatabase database;
  const Task closed = make_task("closed");
  const Task deleted = make_task("deleted");
  const Task sealed = aging_task(600);
  const auto first = database.open("first");
  const auto second = database.open("second");
  for (const Task* task : {&closed, &deleted, &sealed}) {
    REQUIRE(first->add_task(*task));
    append_new(*first, *task, {make_report(*task, 1)});
    append_new(*second, *task, {make_report(*task, 2)});
  }
  REQUIRE(second->close_task(closed.id(), kStart));
  CHECK(*append(*first, closed, {make_report(closed, 3)}) == std::vector{kTaskClosed});
  REQUIRE(second->delete_task(deleted.id()));
  CHECK(*append(*first, deleted, {make_report(deleted, 3)}) == std::vector{kUnrecognizedTask});
  REQUIRE(second->add_task(deleted));
  CHECK(*append(*first, deleted, {make_report(deleted, 1)}) == std::vector{kAccepted});
  REQUIRE(forget_expired(*second, kStart + kPrecision + 600) == 2);
  CHECK(*append(*first, sealed, {make_report(sealed, 3)}) == std::vector{kExpired});
  CHECK(verified_reports(*first) == 3);
}

TEST_CASE("if a task is added again, the store writes the task's unchanged row again, so that a standby confirms it") {
  TestDatabase database;
  const Task task = make_task();
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1)});
  REQUIRE(store->close_task(task.id(), kStart));
  const std::string before = database.run("SELECT xmin FROM hearsay.tasks");
  REQUIRE(store->add_task(task));
  CHECK(database.run("SELECT xmin FROM hearsay.tasks") != before);
  CHECK(store->tasks()->front().closed_at == kStart);
  CHECK(verified_reports(*store) == 1);
}

TEST_CASE("if a deletion is repeated, the store writes it again, so that a standby confirms both deletions") {
  TestDatabase database;
  const Task task = make_task();
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  REQUIRE(store->delete_task(task.id()));
  const std::string end = "SELECT xmin FROM hearsay.writers WHERE number = 0";
  const std::string before = database.run(end);
  CHECK(store->delete_task(task.id()).error().code == ErrorCode::kUnrecognizedTask);
  CHECK(database.run(end) != before);
}

TEST_CASE("a task whose number now belongs to another task accepts no report until it is added again") {
  TestDatabase database;
  const Task task = make_task();
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1)});
  const std::string swap = "UPDATE hearsay.tasks SET id = set_byte(id, 0, get_byte(id, 0) # 1)";
  database.run(swap);
  CHECK(*append(*store, task, {make_report(task, 2)}) == std::vector{kUnrecognizedTask});
  database.run(swap);
  CHECK(*append(*store, task, {make_report(task, 2)}) == std::vector{kAccepted});
  CHECK(verified_reports(*store) == 2);
}

TEST_CASE(
    "if a task is closed during appends, only reports that were acknowledged before the close returned are stored") {
  TestDatabase database;
  const auto first = database.open("first");
  const auto second = database.open("second");
  for (int round = 0; round < 10; ++round) {
    const Task task = make_task("round " + std::to_string(round));
    REQUIRE(first->add_task(task));
    std::atomic<std::uint64_t> accepted = 0;
    std::thread appending([&] {
      for (std::uint64_t i = 0;; ++i) {
        const auto outcomes = append(*first, task, {make_report(task, i)});
        if (!outcomes || outcomes->front() != kAccepted) return;
        ++accepted;
      }
    });
    while (accepted < static_cast<std::uint64_t>(round)) std::this_thread::yield();
    REQUIRE(second->close_task(task.id(), kStart));
    const std::uint64_t there = whole_tally(*second, task).reports();
    appending.join();
    CHECK(accepted == there);
    CHECK(whole_tally(*second, task).reports() == there);
  }
}

// Two stores create and delete a task in turn, while both append to it.
class ComesAndGoes {
 public:
  ComesAndGoes() {
    for (const char* const name : {"first", "second"}) stores_.push_back(database_.open(name));
  }

  void run(std::chrono::seconds time) {
    std::vector<std::jthread> threads;
    for (std::size_t s = 0; s < 2; ++s) {
      threads.emplace_back([this, s](const std::stop_token& stop) { append_until(stop, s); });
    }
    const auto end = std::chrono::steady_clock::now() + time;
    std::size_t round = 0;
    for (; std::chrono::steady_clock::now() < end; ++round) {
      create(round);
      step_ = 4 * round + kDeleting;
      if (!stores_[round / 2 % 2]->delete_task(task_.id())) ADD_FAIL_AT(__FILE__, __LINE__, "not deleted");
      step_ = 4 * (round + 1) + kAbsent;
      std::this_thread::sleep_for(std::chrono::milliseconds(round % 4));
    }
    create(round);
    threads.clear();
    const std::uint64_t stored = verified_reports(*stores_[0]);
    CHECK(whole_tally(*stores_[1], task_).reports() == stored);
    CHECK(stored >= accepted(round).first);
    CHECK(stored <= accepted(round).first + accepted(round).second);
  }

 private:
  // The steps of a round. step_ is 4 * round + step.
  enum Step : std::size_t { kAbsent, kCreating, kPresent, kDeleting };

  // Creates the task, and waits until the stores have taken six reports. These reports must be counted at once.
  void create(std::size_t round) {
    step_ = 4 * round + kCreating;
    if (!stores_[round % 2]->add_task(task_)) ADD_FAIL_AT(__FILE__, __LINE__, "not created");
    step_ = 4 * round + kPresent;
    const auto deadline = std::chrono::steady_clock::now() + hearsay::tests::kPatience;
    while (accepted(round).first < 6 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    const std::uint64_t acknowledged = accepted(round).first;
    CHECK(acknowledged >= 6);
    CHECK(whole_tally(*stores_[0], task_).reports() >= acknowledged);
  }
  void append_until(const std::stop_token& stop, std::size_t s) {
    for (std::uint64_t i = s; !stop.stop_requested(); i += 2) {
      const std::size_t before = step_;
      const auto outcomes = append(*stores_[s], task_, {make_report(task_, i)});
      const std::size_t after = step_;
      if (!outcomes) {
        ADD_FAIL_AT(__FILE__, __LINE__, outcomes.error().message);
        return;
      }
      const bool taken = outcomes->front() == kAccepted;
      if (before == after && before % 4 == kAbsent && taken) ADD_FAIL_AT(__FILE__, __LINE__, "taken after a deletion");
      if (before == after && before % 4 == kPresent && !taken) ADD_FAIL_AT(__FILE__, __LINE__, "refused");
      if (!taken) continue;
      const std::lock_guard lock(mutex_);
      auto& [within, across] = accepted_[after / 4];
      ++(before / 4 == after / 4 ? within : across);
    }
  }
  // Returns how many accepted appends ran within the round, and how many began before it and ended in it.
  std::pair<std::uint64_t, std::uint64_t> accepted(std::size_t round) {
    const std::lock_guard lock(mutex_);
    return accepted_[round];
  }

  TestDatabase database_;
  const Task task_ = make_task();
  std::vector<std::unique_ptr<Store>> stores_;
  std::atomic<std::size_t> step_ = 0;
  std::mutex mutex_;
  std::map<std::size_t, std::pair<std::uint64_t, std::uint64_t>> accepted_;
};

TEST_CASE("a store takes reports of a task that another store deleted and added again in the meantime") {
  TestDatabase database;
  const Task task = make_task();
  const auto first = database.open("first");
  const auto second = database.open("second");
  REQUIRE(first->add_task(task));
  append_new(*second, task, {make_report(task, 1)});  // now the second store knows the task's number
  REQUIRE(first->delete_task(task.id()));
  REQUIRE(first->add_task(task));
  append_new(*second, task, {make_report(task, 1), make_report(task, 2)});
  CHECK(verified_reports(*first) == 2);
}

// An append reads the task's row under the shared lock, after a deletion's lock has ended. If there is no row, the
// append looks for the task's new number once more. A creation takes effect at its commit, so a report may be taken
// shortly before create() returns.
TEST_CASE("no store takes a report of a deleted task, and every store takes reports as soon as the task is back") {
  ComesAndGoes().run(std::chrono::seconds(3));
}

TEST_CASE(
    "when a day is over, its partitions are dropped for all stores, and the next append makes the partitions that it "
    "needs") {
  TestDatabase database;
  const Task task = aging_task(600);
  const auto first = database.open("first");
  const auto second = database.open("second");
  REQUIRE(first->add_task(task));
  append_new(*first, task, make_reports(task, 0, 48, 48));  // these reports are on two days
  append_new(*second, task, {make_report(task, 100, 47)});
  const std::string partitions =
      "SELECT count(*) FROM pg_inherits WHERE inhparent IN ('hearsay.ids'::regclass, 'hearsay.blocks'::regclass)";
  const int before = std::stoi(database.run(partitions));
  CHECK(before >= 4);
  const UnixSeconds over = kStart + 48 * kPrecision + 600;
  CHECK(forget_expired(*second, over) == 49);
  CHECK(std::stoi(database.run(partitions)) < before);
  CHECK(forget_expired(*second, over + 2 * 86'400) == 0);
  CHECK(database.run(partitions) == "0");
  CHECK(database.run("SELECT count(*) FROM hearsay.ids") == "0");
  append_new(*first, task, {make_report(task, 200, 120)});
  append_new(*second, task, {make_report(task, 201, 120)});
  CHECK(verified_reports(*first) == 2);
}

TEST_CASE("a day's partitions are not dropped if a task with a lower number may still become visible") {
  TestDatabase database;
  const Task late = aging_task(600);
  const Task task = aging_task(600, "early");
  const auto writer = database.open("writer");
  const auto sealer = database.open("sealer");
  // The task has its number, but the task's row is not visible yet.
  auto adding = database.session("BEGIN");
  REQUIRE(adding->run({"add", "INSERT INTO hearsay.tasks (id, document) VALUES ($1::bytea, $2::text)"},
                      Parameters().bytes(bytes_of(late.id())).bytes(late.canonical_json())));
  REQUIRE(writer->add_task(task));
  append_new(*writer, task, {make_report(task, 1)});
  const std::string number = database.run("SELECT number FROM hearsay.tasks");
  // Sealing has read the tasks, and waits for a lock that an append would hold.
  auto appending = database.session("BEGIN; SELECT pg_advisory_xact_lock_shared(1214603634, " + number + ")");
  Expiry done;
  std::thread sealing([&] { done = sealer->expire(kStart + kPrecision + 600 + 2 * 86'400); });
  database.await_waiting(1);
  REQUIRE(adding->execute("COMMIT"));
  append_new(*writer, late, {make_report(late, 2)});
  appending.reset();
  sealing.join();
  CHECK_FALSE(done.failure);
  CHECK(done.forgotten == 1);
  CHECK(database.run("SELECT count(*) FROM hearsay.ids i JOIN hearsay.tasks t ON t.number = i.task WHERE "
                     "t.number < " +
                     number) == "1");
  CHECK(whole_tally(*writer, late).reports() == 1);
  CHECK(verified_reports(*writer) == 1);
  CHECK(forget_expired(*sealer, kStart + kPrecision + 600 + 2 * 86'400) == 1);
  CHECK(database.run("SELECT count(*) FROM hearsay.ids") == "0");
}

TEST_CASE("an imported tally replaces the counts of a window, also the counts that were not folded yet") {
  TestDatabase database;
  const Task task = make_task();
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1), make_report(task, 2)});
  REQUIRE(database.run("SELECT count(*) FROM hearsay.deltas") == "1");
  database.run("DELETE FROM hearsay.blocks");  // as if the partitions of a past day were dropped
  const tally::Tally theirs = tally_of(task, {make_report(task, 3)});
  REQUIRE(store->import_seal(task, kStart + kPrecision));
  REQUIRE(store->import_tally(task, kStart, theirs));
  CHECK(whole_tally(*store, task) == theirs);
  REQUIRE(store->check_directory());
  CHECK(whole_tally(*store, task) == theirs);
}

}  // namespace
}  // namespace hearsay::store::postgres::tests
