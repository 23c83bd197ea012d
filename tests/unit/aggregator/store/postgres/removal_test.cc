#include <thread>

#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store::postgres::tests {
namespace {

constexpr const char* kRemoved = "SELECT count(*) FROM hearsay.removed";
constexpr const char* kIds = "SELECT count(*) FROM hearsay.ids";

void leave_removed(const TestDatabase& database, Store& store, int ids) {
  const Task task = make_task();
  REQUIRE(store.add_task(task));
  append_new(store, task, {make_report(task, 0)});
  database.run(
      "INSERT INTO hearsay.ids (window_start, task, seal_day, id, digest) SELECT window_start, task, seal_day, "
      "gen_random_uuid(), digest FROM hearsay.ids, generate_series(2, " +
      std::to_string(ids) + ")");
  database.run(
      "WITH gone AS (DELETE FROM hearsay.tasks RETURNING number) INSERT INTO hearsay.removed SELECT number FROM gone");
}

TEST_CASE("a deleted task is remembered until all its rows are deleted, whoever deletes the rows") {
  TestDatabase database;
  const auto store = database.open();
  leave_removed(database, *store, 6000);
  // Another process deletes the rows that the store would choose next.
  auto other = database.session("BEGIN");
  REQUIRE(
      other->execute("DELETE FROM hearsay.ids i USING (SELECT seal_day, window_start, id FROM hearsay.ids WHERE "
                     "task = (SELECT number FROM hearsay.removed) LIMIT 5000) AS few WHERE "
                     "i.seal_day = few.seal_day AND i.window_start = few.window_start AND i.id = few.id"));
  Expiry done;
  std::thread clearing([&] { done = store->expire(kStart); });
  database.await_waiting(1);
  REQUIRE(other->execute("COMMIT"));
  clearing.join();
  CHECK_FALSE(done.failure);
  if (database.run(kIds) != "0") CHECK(database.run(kRemoved) == "1");
  await_clear(database, *store, kRemoved);
  CHECK(database.run(kIds) == "0");
  CHECK(database.run(kRemoved) == "0");
}

TEST_CASE("a deletion returns before the task's rows are gone, and the upkeep deletes them") {
  TestDatabase database;
  const Task task = make_task();
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 10));
  REQUIRE(store->delete_task(task.id()));
  CHECK(store->tasks()->empty());
  CHECK(database.run(kIds) == "10");
  CHECK(database.run(kRemoved) == "1");
  // Another daemon has the lock for removals.
  auto other = database.session("BEGIN; SELECT pg_advisory_xact_lock(1214603635, 7)");
  REQUIRE(store->check_directory());
  CHECK(database.run(kIds) == "10");
  REQUIRE(other->execute("COMMIT"));
  await_clear(database, *store, kRemoved);
  for (const std::string table : {"ids", "blocks", "deltas", "tallies", "windows", "removed"}) {
    CHECK(database.run("SELECT count(*) FROM hearsay." + table) == "0");
  }
}

TEST_CASE("each call of the upkeep deletes rows of a large task for a short time only") {
  TestDatabase database;
  const auto store = database.open();
  leave_removed(database, *store, 12'000);
  database.run(
      "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$; "
      "CREATE TRIGGER slow AFTER DELETE ON hearsay.ids FOR EACH STATEMENT EXECUTE FUNCTION slow()");
  for (const std::string left : {"7000", "2000", "0"}) {
    REQUIRE(store->check_directory());
    CHECK(database.run(kIds) == left);
  }
  database.run("DROP TRIGGER slow ON hearsay.ids");
  await_clear(database, *store, kRemoved);
  CHECK(database.run(kRemoved) == "0");
}

TEST_CASE("rows that cannot be deleted do not delay reports or sealing") {
  TestDatabase database;
  const auto store = database.open();
  leave_removed(database, *store, 10);
  database.run(
      "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$; "
      "CREATE TRIGGER failing BEFORE DELETE ON hearsay.ids FOR EACH STATEMENT EXECUTE FUNCTION fail()");
  const Task task = aging_task(600);
  REQUIRE(store->add_task(task));
  CHECK(store->check_directory());
  append_new(*store, task, {make_report(task, 1)});
  const Expiry done = store->expire(kStart + kPrecision + 600);
  CHECK(done.failure);
  CHECK(done.forgotten == 1);
  CHECK(store->sealed(task)->before == kStart + kPrecision);
  CHECK(database.run(kRemoved) == "1");
  database.run("DROP TRIGGER failing ON hearsay.ids");
  await_clear(database, *store, kRemoved);
  CHECK(database.run(kRemoved) == "0");
}

TEST_CASE(
    "rows that another session locks delay the upkeep once, for two seconds, and then the upkeep skips them for a "
    "while") {
  TestDatabase database;
  const auto store = database.open();
  leave_removed(database, *store, 10);
  auto other = database.session("BEGIN; SELECT FROM hearsay.ids FOR UPDATE");
  const auto timed = [](const auto& call) {
    const auto begun = std::chrono::steady_clock::now();
    call();
    return std::chrono::steady_clock::now() - begun;
  };
  // Without a time limit of its own, the statement would take 30 s.
  CHECK(timed([&] { CHECK(store->check_directory()); }) < std::chrono::seconds(15));
  const auto again = timed([&] {
    for (int call = 0; call < 5; ++call) CHECK(store->check_directory());
    const Expiry done = store->expire(kStart);
    REQUIRE(done.failure);
    CHECK(done.failure->message.find("timeout") != std::string::npos);
  });
  CHECK(again < std::chrono::seconds(10));  // six attempts would take 12 s
  REQUIRE(other->execute("COMMIT"));
  CHECK(database.run(kRemoved) == "1");
}

}  // namespace
}  // namespace hearsay::store::postgres::tests
