// The rows that deleted tasks leave.
#include <thread>

#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store::postgres::tests {
namespace {

constexpr const char* kRemoved = "SELECT count(*) FROM hearsay.removed";
constexpr const char* kIds = "SELECT count(*) FROM hearsay.ids";

// A task with rows for so many ids, which is deleted, while its rows are there.
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

TEST_CASE("a deleted task is remembered until all its rows are gone, whoever deletes them meanwhile") {
  TestDatabase database;
  const auto store = database.open();
  leave_removed(database, *store, 6000);
  // Another process deletes the rows that the store is about to choose.
  auto other = database.session("BEGIN");
  REQUIRE(other->execute("DELETE FROM hearsay.ids i USING (SELECT seal_day, window_start, id FROM hearsay.ids WHERE "
                         "task = (SELECT number FROM hearsay.removed) LIMIT 5000) AS few WHERE "
                         "i.seal_day = few.seal_day AND i.window_start = few.window_start AND i.id = few.id"));
  Result<std::uint64_t> cleared = std::uint64_t{0};
  std::thread clearing([&] { cleared = store->expire(kStart); });
  database.await_waiting(1);
  REQUIRE(other->execute("COMMIT"));
  clearing.join();
  REQUIRE(cleared);
  if (database.run(kIds) != "0") CHECK(database.run(kRemoved) == "1");
  REQUIRE(store->expire(kStart));
  CHECK(database.run(kIds) == "0");
  CHECK(database.run(kRemoved) == "0");
}

}  // namespace
}  // namespace hearsay::store::postgres::tests
