#include <chrono>
#include <thread>

#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store::postgres::tests {
namespace {

const std::string kOwnerless =
    "SELECT count(*) FROM hearsay.windows w WHERE writer <> 0 AND NOT EXISTS "
    "(SELECT FROM hearsay.writers WHERE number = w.writer)";

// Leaves rows of two writers that have gone, in each of `windows` windows.
void leave_ownerless(const TestDatabase& database, int windows) {
  database.run(
      "INSERT INTO hearsay.windows (task, window_start, writer, reports, pairs) SELECT number, s, w, 1, 1 "
      "FROM hearsay.tasks, generate_series(1000000001, 1000000000 + " +
      std::to_string(windows) + ") AS s, generate_series(1000, 1001) AS w");
}

// Makes each statement that deletes rows of hearsay.windows also run `body`.
void at_each_piece(const TestDatabase& database, const std::string& body) {
  database.run("CREATE FUNCTION piece() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + body +
               "; RETURN NULL; END $$; CREATE TRIGGER piece AFTER DELETE ON hearsay.windows "
               "REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION piece()");
}

TEST_CASE(
    "after the next look the counts of a writer that has gone belong to no writer, whoever deleted the writer's row") {
  TestDatabase database;
  const Task task = make_task();
  const auto store = database.open("first");
  REQUIRE(store->add_task(task));
  forget_expired(*store, kStart);
  for (const std::string name : {"second", "third"}) {
    append_new(*database.open(name), task, {make_report(task, name.size())});
  }
  CHECK(database.run(kOwnerless) == "2");
  forget_expired(*database.open("fourth"), kStart);
  CHECK(database.run(kOwnerless) == "0");
  append_new(*store, task, {make_report(task, 20)});
  const auto idle = database.open("idle");
  append_new(*idle, task, {make_report(task, 21)});
  database.run("UPDATE hearsay.writers SET seen = now() - interval '2 days' WHERE instance = 'idle'");
  forget_expired(*store, kStart);
  CHECK(database.run("SELECT count(*) FROM hearsay.windows") == "2");
  CHECK(store->counts(task).reports == 4);
  CHECK(verified_reports(*store) == 4);
}

TEST_CASE("the counts of writers that have gone are taken over in pieces, and each call takes a short time") {
  TestDatabase database;
  const Task task = make_task();
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1)});
  leave_ownerless(database, 12'500);
  at_each_piece(database, "PERFORM pg_sleep(0.3)");
  const auto folding = database.session("BEGIN; SELECT pg_advisory_xact_lock(1214603635, 3)");  // another daemon folds
  for (const std::string left : {"15000", "5000"}) {
    REQUIRE(store->check_directory());
    CHECK(database.run(kOwnerless) == left);
  }
  CHECK(forget_expired(*store, kStart) == 0);  // expiry also takes over a piece
  CHECK(database.run(kOwnerless) == "0");
  CHECK(database.run("SELECT concat_ws(' ', count(*), sum(reports), max(reports)) FROM hearsay.windows "
                     "GROUP BY writer = 0 ORDER BY 1") == "1 1 1\n12500 25000 2");
}

TEST_CASE("counts that cannot be taken over do not delay the sealing, and are taken over later") {
  TestDatabase database;
  const Task task = aging_task(600);
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1)});
  leave_ownerless(database, 1);
  at_each_piece(database, "RAISE 'planted'");
  const Expiry done = store->expire(kStart + kPrecision + 600);
  REQUIRE(done.failure);
  CHECK(done.failure->message.find("planted") != std::string::npos);
  CHECK(done.forgotten == 3);  // the store's own report, and those of the two writers that have gone
  CHECK(store->sealed(task)->before == kStart + kPrecision);
  database.run("DROP TRIGGER piece ON hearsay.windows");
  await_clear(database, *store, kOwnerless);
  CHECK(database.run("SELECT sum(reports) FROM hearsay.windows WHERE writer = 0") == "2");
}

}  // namespace
}  // namespace hearsay::store::postgres::tests
