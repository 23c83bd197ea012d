#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store::postgres::tests {
namespace {

using enum AppendOutcome;

struct Failing {
  explicit Failing(std::chrono::seconds statement_timeout = std::chrono::seconds(30)) {
    Options options = database.options();
    options.statement_timeout = statement_timeout;
    store = database.open(options);
    REQUIRE(store->add_task(task));
    append_new(*store, task, {make_report(task, 0)});
  }
  void raise(const std::string& sqlstate, int times) const {
    database.run(
        "CREATE SEQUENCE public.tries; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF nextval('public.tries') <= " +
        std::to_string(times) + " THEN RAISE 'planted' USING ERRCODE = '" + sqlstate +
        "'; END IF; RETURN NEW; END $$; GRANT ALL ON SEQUENCE public.tries TO owner; "
        "CREATE TRIGGER failing BEFORE UPDATE OF commit ON hearsay.writers FOR EACH ROW EXECUTE FUNCTION fail()");
  }
  void check_refused(const std::string& sqlstate) const {
    const auto refused = append(*store, task, {make_report(task, 1)});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kStoreFailed);
    CHECK_FALSE(store->healthy());
    REQUIRE(store->failure());
    CHECK(store->failure()->message.find("SQLSTATE " + sqlstate) != std::string::npos);
    const StoreStatistics statistics = store->statistics();
    REQUIRE(statistics.databases.size() == 1);
    REQUIRE(statistics.databases[0].failure);
    CHECK(statistics.databases[0].name.find("database " + database.name() + " on /") == 0);
  }
  void check_recovers() const {
    CHECK(store->check_directory());
    CHECK(store->healthy());
    CHECK_FALSE(store->statistics().databases[0].failure);
    append_new(*store, task, {make_report(task, 1)});
    CHECK(verified_reports(*store) == 2);
  }

  TestDatabase database;
  const Task task = make_task();
  std::unique_ptr<Store> store;
};

TEST_CASE("after a serialization failure the store tries again, and it reports the failure if tries keep failing") {
  Failing passing;
  passing.raise("40001", 3);
  append_new(*passing.store, passing.task, {make_report(passing.task, 1)});
  CHECK(passing.store->healthy());
  CHECK(verified_reports(*passing.store) == 2);

  Failing lasting;
  lasting.raise("40001", 1'000'000);
  lasting.check_refused("40001");
  lasting.database.run("DROP TRIGGER failing ON hearsay.writers");
  lasting.check_recovers();
}

TEST_CASE("a statement that waits too long for another session's lock fails its batch") {
  const Failing failing(std::chrono::seconds(1));
  auto session = failing.database.session("BEGIN; LOCK TABLE hearsay.ids IN ACCESS EXCLUSIVE MODE");
  failing.check_refused("57014");
  session.reset();
  failing.check_recovers();
}

TEST_CASE("a database that becomes read-only is reported, and gets commits again as soon as it is writable") {
  const Failing failing;
  failing.database.run("ALTER DATABASE " + failing.database.name() + " SET default_transaction_read_only = on");
  failing.database.end_connections();
  const auto refused = append(*failing.store, failing.task, {make_report(failing.task, 1)});
  REQUIRE_FALSE(refused);
  CHECK(failing.store->failure()->message.find("read-only") != std::string::npos);
  PostgresServer::shared().run("postgres",
                               "ALTER DATABASE " + failing.database.name() + " RESET default_transaction_read_only");
  failing.database.end_connections();
  failing.check_recovers();
}

TEST_CASE("if batches fail in a row, the store is unhealthy even if the upkeep succeeds") {
  const Failing failing;
  failing.database.run(
      "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN RAISE 'the disk is full' USING ERRCODE = '53100'; END $$; "
      "CREATE TRIGGER disk_is_full BEFORE INSERT ON hearsay.blocks FOR EACH ROW EXECUTE FUNCTION full_disk()");
  failing.check_refused("53100");
  CHECK(failing.store->check_directory());
  CHECK(failing.store->healthy());  // after one failed batch the upkeep is enough
  for (int i = 0; i < 5; ++i) failing.check_refused("53100");
  CHECK(failing.store->check_directory());
  CHECK_FALSE(failing.store->healthy());
  failing.database.run("DROP TRIGGER disk_is_full ON hearsay.blocks");
  append_new(*failing.store, failing.task, {make_report(failing.task, 1)});
  CHECK(failing.store->healthy());
  CHECK(verified_reports(*failing.store) == 2);
}

struct FailingFold {
  FailingFold() {
    store = database.open();
    REQUIRE(store->add_task(task));
    append_new(*store, task, {make_report(task, 1), make_report(task, 2)});
    REQUIRE(store->check_directory());
    append_new(*store, task, {make_report(task, 3)});
  }
  // Checks that windows are sealed although each fold fails with `code`.
  void check_seals(ErrorCode code) const {
    const Expiry done = store->expire(over);
    CHECK(done.forgotten == 3);
    REQUIRE(done.failure);
    CHECK(done.failure->code == code);
    CHECK(database.run("SELECT count(*) FROM hearsay.deltas") == "1");
    CHECK(database.run("SELECT count(*) FROM hearsay.ids") == "0");
    CHECK(*append(*store, task, {make_report(task, 4)}) == std::vector{kExpired});
  }

  TestDatabase database;
  const Task task = aging_task(600);
  const UnixSeconds over = kStart + kPrecision + 600 + 2 * 86'400;
  std::unique_ptr<Store> store;
};

TEST_CASE_FIXTURE(FailingFold, "a fold that the server refuses delays no sealing, and the sealed sums are exact") {
  database.run(
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN RAISE 'planted' USING ERRCODE = '57014'; END $$; "
      "CREATE TRIGGER refusing BEFORE INSERT ON hearsay.tallies FOR EACH ROW EXECUTE FUNCTION refuse()");
  CHECK(store->check_directory());  // the store can take reports, so it counts as working
  CHECK(store->healthy());
  check_seals(ErrorCode::kStoreFailed);
  const tally::Tally all = tally_of(task, {make_report(task, 1), make_report(task, 2), make_report(task, 3)});
  CHECK(whole_tally(*store, task) == all);
  database.run("DROP TRIGGER refusing ON hearsay.tallies");
  REQUIRE(store->check_directory());
  CHECK(database.run("SELECT count(*) FROM hearsay.deltas") == "0");
  CHECK(whole_tally(*store, task) == all);
  CHECK(verify(*store)->sealed_reports == 3);
  CHECK(verified_reports(*store) == 0);
}

TEST_CASE_FIXTURE(FailingFold, "a row that no fold can read is reported, and delays no sealing") {
  database.run("UPDATE hearsay.deltas SET counts = '\\x00'");
  CHECK(store->check_directory().error().code == ErrorCode::kStoreCorrupt);
  CHECK(store->failure()->code == ErrorCode::kStoreCorrupt);
  check_seals(ErrorCode::kStoreCorrupt);
}

TEST_CASE_FIXTURE(FailingFold, "a row that no fold can read does not keep other tasks from being folded") {
  const Task other = make_task("second");
  REQUIRE(store->add_task(other));
  append_new(*store, other, {make_report(other, 1)});
  database.run("UPDATE hearsay.deltas SET counts = '\\x00' WHERE task = (SELECT min(task) FROM hearsay.deltas)");
  CHECK(store->check_directory().error().code == ErrorCode::kStoreCorrupt);
  CHECK(database.run("SELECT count(*) FROM hearsay.deltas") == "1");
  CHECK(whole_tally(*store, other) == tally_of(other, {make_report(other, 1)}));
}

// Opens a store that watches its database. The database counts as failed after `max_silence` without an answer.
std::unique_ptr<Store> open_observed(TestDatabase& database, std::chrono::seconds max_silence) {
  Options options = database.options();
  options.observes = true;
  options.max_silence = max_silence;
  return database.open(options);
}

void check_no_failure_for(const Store& store, std::chrono::seconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    const auto failure = store.failure();
    if (failure) FAIL(failure->message);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

TEST_CASE("a database whose observation waits for a lock does not count as silent") {
  TestDatabase database;
  const std::chrono::seconds max_silence(6);
  const auto store = open_observed(database, max_silence);
  const auto session = database.session("BEGIN; LOCK TABLE hearsay.tasks IN ACCESS EXCLUSIVE MODE");
  database.await_waiting(1);
  check_no_failure_for(*store, max_silence + std::chrono::seconds(3));
}

TEST_CASE("a server without free connections has not failed, since it answers on the open connections") {
  PostgresServer server({"max_connections=15", "superuser_reserved_connections=0"});
  TestDatabase database(server);
  const std::chrono::seconds max_silence(2);
  const auto store = open_observed(database, max_silence);
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 0)});
  std::this_thread::sleep_for(std::chrono::seconds(2));  // meanwhile the store makes all connections that it keeps
  std::vector<std::unique_ptr<TallyReader>> readers;  // more readers than idle connections, so that some connect anew
  for (int i = 0; i < 6; ++i) readers.push_back(store->read_tallies(task));
  std::vector<std::unique_ptr<Connection>> others;
  for (bool full = false; !full;) {
    auto opened = Connection::open({.uri = server.uri(database.name())});
    full = !opened;
    if (opened) others.push_back(*std::move(opened));
  }
  check_no_failure_for(*store, max_silence + std::chrono::seconds(2));
  append_new(*store, task, {make_report(task, 1)});
}

TEST_CASE("if the server has refused a connection, the report of a silent database has the reason") {
  TestDatabase database;
  const auto store = open_observed(database, std::chrono::seconds(1));
  database.run("ALTER DATABASE " + database.name() + " CONNECTION LIMIT 0");
  database.end_connections();
  // The first second of silence may end before the server has refused.
  const auto says_why = [&] {
    const auto failure = store->failure();
    return failure && failure->message.find("too many connections for database") != std::string::npos;
  };
  const auto deadline = std::chrono::steady_clock::now() + hearsay::tests::kPatience;
  while (!says_why() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(says_why());
}

}  // namespace
}  // namespace hearsay::store::postgres::tests
