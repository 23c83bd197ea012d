#include "tests/unit/aggregator/store/spread/spread_fixture.h"

namespace hearsay::store::spread::tests {
namespace {

// Returns the task's state in each database: '-' (unknown), 'o' (open) or 'c' (closed).
std::string states(const Databases& databases, const Task& task) {
  std::string letters;
  for (const auto& store : databases.stores) {
    char letter = '-';
    const auto tasks = store->tasks();
    for (const StoredTask& stored : *tasks) {
      if (stored.task.id() == task.id()) letter = stored.closed_at ? 'c' : 'o';
    }
    letters += letter;
  }
  return letters;
}

struct Tasks {
  Tasks() {
    databases.add_map(3);
    store = databases.open();
  }
  // The call fails while the database `down` is down, and the error names this database. Then the call succeeds.
  template <class Call>
  void check_repeat(std::size_t down, const Call& call, const std::string& half_way) {
    databases.set_down(down, true);
    const Result<void> failed = call();
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == ErrorCode::kStoreFailed);
    CHECK(failed.error().message.find("database " + std::to_string(down)) != std::string::npos);
    CHECK(states(databases, task) == half_way);
    databases.set_down(down, false);
    REQUIRE(call());
  }

  Databases databases{3};
  const Task task = make_task();
  std::unique_ptr<Store> store;
};

TEST_CASE_FIXTURE(
    Tasks, "a task that was added to some of the databases does not exist, and repeating the call adds the task") {
  const auto add = [&] { return store->add_task(task); };
  SUBCASE("the last database is down") { check_repeat(2, add, "-o-"); }
  SUBCASE("the head is down") { check_repeat(0, add, "---"); }
  CHECK(states(databases, task) == "ooo");
  CHECK(store->tasks()->size() == 1);
}

TEST_CASE_FIXTURE(Tasks,
                  "if a task was added to some of the databases, a daemon that starts before the repetition accepts no "
                  "report of the task") {
  databases.set_down(2, true);
  REQUIRE_FALSE(store->add_task(task));
  databases.set_down(2, false);
  const auto other = databases.open();
  CHECK(other->tasks()->empty());
}

TEST_CASE_FIXTURE(
    Tasks, "a task that was closed in some of the databases is shown as open, and repeating the call closes the task") {
  REQUIRE(store->add_task(task));
  check_repeat(
      2, [&] { return store->close_task(task.id(), 100); }, "oco");
  CHECK(states(databases, task) == "ccc");
  REQUIRE(store->close_task(task.id(), 200));
  CHECK(store->tasks()->front().closed_at == 100);
}

TEST_CASE_FIXTURE(
    Tasks,
    "a task that was deleted in some of the databases is still listed, and repeating the call deletes the task") {
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 50));
  check_repeat(
      2, [&] { return store->delete_task(task.id()); }, "o-o");
  CHECK(states(databases, task) == "---");
  const auto again = store->delete_task(task.id());
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::kUnrecognizedTask);
  REQUIRE(store->add_task(task));
  CHECK(whole_tally(*store, task).reports() == 0);
}

TEST_CASE_FIXTURE(Tasks, "a daemon whose configuration lacks a database of the map changes no task") {
  databases.add();
  databases.add_map(4);
  const auto added = store->add_task(task);
  REQUIRE_FALSE(added);
  CHECK(added.error().message.find("s3") != std::string::npos);
  CHECK(states(databases, task) == "----");
  REQUIRE(databases.open()->add_task(task));
  CHECK(states(databases, task) == "oooo");
}

TEST_CASE_FIXTURE(Tasks, "a database that joins the map gets all tasks, also closed tasks") {
  const Task closed = make_task("closed");
  REQUIRE(store->add_task(task));
  REQUIRE(store->add_task(closed));
  REQUIRE(store->close_task(closed.id(), 100));
  databases.add();
  databases.add_map(4);
  CHECK(states(databases, task) == "oooo");
  CHECK(states(databases, closed) == "cccc");
}

}  // namespace
}  // namespace hearsay::store::spread::tests
