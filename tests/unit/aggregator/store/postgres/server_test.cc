// Tests which servers, schemas, settings and URIs the store refuses, and the reasons that it gives.
#include <signal.h>

#include <set>
#include <thread>

#include "aggregator/store/postgres/schema.h"
#include "aggregator/store/postgres/seal_day.h"
#include "aggregator/store/postgres/uri.h"
#include "tests/support/manual_clock.h"
#include "tests/support/silent_server.h"
#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store::postgres::tests {
namespace {

using hearsay::tests::ManualClock;

std::string open_error(TestDatabase& database, const Options& options, ErrorCode code = ErrorCode::kStoreFailed) {
  const auto store = postgres::open(options, database.clock());
  REQUIRE_FALSE(store);
  CHECK(store.error().code == code);
  return store.error().message;
}

bool says(const std::string& message, const std::string& part) {
  CAPTURE(message);
  CHECK(message.find(part) != std::string::npos);
  return true;
}

TEST_CASE("a remote host needs a verified certificate before the store sends anything there") {
  for (const char* const uri :
       {"postgresql:///store", "postgresql://u@localhost/store", "postgresql://u@127.0.0.1:5433/store",
        "postgresql://u@[::1]/store", "host=/run/postgresql,localhost dbname=store", "host=@abstract dbname=store",
        "postgresql://u@db.example/store?sslmode=verify-full", "postgresql://u@db1,db2/store?sslmode=verify-full"}) {
    CAPTURE(uri);
    CHECK(check_uri(uri, false));
  }
  for (const char* const uri :
       {"postgresql://u@db.example/store", "postgresql://u@db.example/store?sslmode=verify-ca",
        "postgresql://u@localhost,db.example/store", "postgresql://u@localhost/store?hostaddr=192.0.2.1",
        "host=db.example hostaddr=127.0.0.1", "host=192.0.2.1 sslmode=require", "host=127.0.0.1.example"}) {
    CAPTURE(uri);
    const auto checked = check_uri(uri, false);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::kStoreFailed);
    CHECK(check_uri(uri, true));
  }
  for (const char* const uri : {"", "nonsense", "postgresql://u:secr%zzet@localhost/store", "service=main"}) {
    CAPTURE(uri);
    const auto checked = check_uri(uri, true);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::kInvalidArgument);
    CHECK(checked.error().message.find("secr") == std::string::npos);
  }
}

TEST_CASE("a database without a schema is refused, and the schema is made once") {
  PostgresServer& server = PostgresServer::shared();
  const auto clock = make_system_clock();
  const Options options{.uri = server.uri(server.create_database()), .allow_lossy_server = true};
  const auto none = postgres::open(options, *clock);
  REQUIRE_FALSE(none);
  says(none.error().message, "hearsay store migrate");
  CHECK(migrate(options)->from == 0);
  CHECK(migrate(options)->from == kSchemaVersion);
  CHECK(migrate(options)->to == kSchemaVersion);
  CHECK(postgres::open(options, *clock));
}

TEST_CASE("an older or newer schema is refused, and only an older schema is updated") {
  TestDatabase database;
  database.run("UPDATE hearsay.meta SET version = version + 1");
  says(open_error(database, database.options()), "use a newer program");
  CHECK_FALSE(migrate(database.options()));
  database.run("UPDATE hearsay.meta SET version = 1");
  says(open_error(database, database.options()), "hearsay store migrate");
  const auto migrated = migrate(database.options());
  REQUIRE(migrated);
  CHECK(migrated->from == 1);
  CHECK(migrated->to == kSchemaVersion);
  CHECK(postgres::open(database.options(), database.clock()));
}

TEST_CASE("an open store stops writing if its database contains another store or schema") {
  TestDatabase database;
  const Task task = make_task();
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  const std::string end =
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()";
  database.run("UPDATE hearsay.meta SET identity = gen_random_uuid()");
  database.run(end);
  const auto refused = append(*store, task, {make_report(task, 1)});
  REQUIRE_FALSE(refused);
  says(refused.error().message, "another store");
  database.run("UPDATE hearsay.meta SET version = version + 1");
  database.run(end);
  says(append(*store, task, {make_report(task, 1)}).error().message, "newer program");
}

TEST_CASE("a server that may lose acknowledged data is refused, unless the options allow it") {
  TestDatabase lossy;
  Options options = lossy.options();
  options.allow_lossy_server = false;
  says(open_error(lossy, options), "fsync = off");

  PostgresServer server({"fsync=on"});
  TestDatabase database(server);
  options = database.options();
  options.allow_lossy_server = false;
  const Task task = make_task();
  const auto store = database.open(options);
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1)});
  // New connections have the settings that the server has read last.
  const auto set = [&](const std::string& name, const std::string& value) {
    server.run("postgres", "ALTER SYSTEM SET " + name + " = '" + value + "'");
    server.run("postgres", "SELECT pg_reload_conf()");
    while (server.run("postgres", "SHOW " + name) != value) std::this_thread::yield();
  };
  set("synchronous_commit", "off");
  says(open_error(database, options), "synchronous_commit = off");
  // An open store notices the setting when it connects again, as after a fail-over.
  database.run(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  const auto refused = append(*store, task, {make_report(task, 2)});
  REQUIRE_FALSE(refused);
  says(refused.error().message, "synchronous_commit = off");
  set("synchronous_commit", "local");
  CHECK(postgres::open(options, database.clock()));
  set("synchronous_standby_names", "nobody");
  for (const std::string lossy_with_standby : {"remote_write", "local"}) {
    set("synchronous_commit", lossy_with_standby);
    says(open_error(database, options), lossy_with_standby + " with a synchronous standby");
  }
  set("full_page_writes", "off");
  says(open_error(database, options), "full_page_writes = off");
  options.allow_lossy_server = true;
  CHECK(postgres::open(options, database.clock()));
}

TEST_CASE("a read-only database can be read but not written to") {
  TestDatabase database;
  const Task task = make_task();
  {
    const auto store = database.open();
    REQUIRE(store->add_task(task));
    append_new(*store, task, make_reports(task, 0, 10, 2));
  }
  database.run("ALTER DATABASE " + database.name() + " SET default_transaction_read_only = on");
  says(open_error(database, database.options()), "standby or read-only");
  Options options = database.options();
  options.read_only = true;
  const auto reader = database.open(options);
  CHECK(verified_reports(*reader) == 10);
  CHECK(reader->add_task(task).error().code == ErrorCode::kStoreFailed);
  CHECK(append(*reader, task, {make_report(task, 1)}).error().code == ErrorCode::kStoreFailed);
  CHECK(reader->close_task(task.id(), 1).error().code == ErrorCode::kStoreFailed);
  CHECK(reader->expire(kStart).failure->code == ErrorCode::kStoreFailed);
}

TEST_CASE("after a fail-over the store writes to the standby, and not to the former primary") {
  PostgresServer primary;
  TestDatabase database(primary);
  const Task task = make_task();
  const auto standby = PostgresServer::standby_of(primary);
  Options options = database.options();
  options.uri = "postgresql://owner@/" + database.name() + "?host=" + primary.directory().string() + "," +
                standby->directory().string() + "&target_session_attrs=read-write";
  const auto store = database.open(options);
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 100, 2));
  const std::string written = primary.run("postgres", "SELECT pg_current_wal_lsn()");
  while (standby->run("postgres", "SELECT pg_last_wal_replay_lsn() >= '" + written + "'") != "t") {
    std::this_thread::yield();
  }
  primary.stop(SIGKILL);
  CHECK_FALSE(append(*store, task, {make_report(task, 100)}));
  CHECK_FALSE(store->healthy());
  standby->promote();
  CHECK(store->check_directory());
  CHECK(*append(*store, task, {make_report(task, 0), make_report(task, 100)}) ==
        std::vector{AppendOutcome::kReplayed, AppendOutcome::kAccepted});
  CHECK(verified_reports(*store) == 101);
  standby->stop(SIGINT);
  primary.start();
  const auto refused = append(*store, task, {make_report(task, 101)});
  REQUIRE_FALSE(refused);
  says(refused.error().message, "former primary");
  CHECK(database.run("SELECT count(*) FROM hearsay.ids") == "100");
  primary.stop(SIGINT);
  standby->start();
  append_new(*store, task, {make_report(task, 101)});
  CHECK(verified_reports(*store) == 102);
}

TEST_CASE("the store closes its connection to a former primary that still runs, as soon as it knows the new primary") {
  PostgresServer primary;
  TestDatabase database(primary);
  const Task task = make_task();
  const auto standby = PostgresServer::standby_of(primary);
  Options options = database.options();
  options.uri = "postgresql://owner@/" + database.name() + "?host=" + standby->directory().string() + "," +
                primary.directory().string() + "&target_session_attrs=read-write";
  const auto store = database.open(options);
  REQUIRE(store->add_task(task));
  append_new(*store, task, make_reports(task, 0, 10));
  const std::string written = primary.run("postgres", "SELECT pg_current_wal_lsn()");
  while (standby->run("postgres", "SELECT pg_last_wal_replay_lsn() >= '" + written + "'") != "t") {
    std::this_thread::yield();
  }
  standby->promote();
  // There are more readers than idle connections. So one reader connects anew, and learns that another server is the
  // primary.
  std::vector<std::unique_ptr<TallyReader>> readers;
  for (int i = 0; i < 6; ++i) readers.push_back(store->read_tallies(task));
  append_new(*store, task, {make_report(task, 10)});
  CHECK(primary.run(database.name(), "SELECT count(*) FROM hearsay.ids") == "10");
  CHECK(standby->run(database.name(), "SELECT count(*) FROM hearsay.ids") == "11");
  readers.clear();
  REQUIRE(store->close_task(task.id(), kStart));
  CHECK(primary.run(database.name(), "SELECT count(closed_at) FROM hearsay.tasks") == "0");
  CHECK(verified_reports(*store) == 11);
}

TEST_CASE("if the clocks of daemon and server differ, a store does not open, and an open store becomes unhealthy") {
  TestDatabase database;
  ManualClock clock(make_system_clock()->now());
  Options options = database.options();
  options.max_clock_skew = std::chrono::seconds(600);
  const auto store = postgres::open(options, clock);
  REQUIRE(store);
  CHECK((*store)->check_directory());
  clock.advance(std::chrono::hours(2));
  CHECK((*store)->check_directory().error().code == ErrorCode::kClockUncertain);
  CHECK_FALSE((*store)->healthy());
  const Task task = make_task();
  REQUIRE((*store)->add_task(task));
  CHECK(append(**store, task, {make_report(task, 1)}).error().code == ErrorCode::kStoreFailed);
  CHECK((*store)->failure()->code == ErrorCode::kClockUncertain);
  CHECK(postgres::open(options, clock).error().code == ErrorCode::kClockUncertain);
  clock.set(make_system_clock()->now());
  CHECK((*store)->check_directory());
  CHECK((*store)->healthy());
}

TEST_CASE("if the server has no free connection at the start, the error says so") {
  PostgresServer server({"max_connections=6", "superuser_reserved_connections=0"});
  TestDatabase database(server);
  std::vector<std::unique_ptr<Connection>> others;
  std::string message;
  while (message.empty()) {
    auto opened = Connection::open({.uri = server.uri(database.name())});
    if (!opened) message = opened.error().message;
    if (opened) others.push_back(*std::move(opened));
  }
  says(open_error(database, database.options()), "too many clients");
  others.clear();
  const auto deadline = std::chrono::steady_clock::now() + hearsay::tests::kPatience;
  bool opens = false;
  while (!opens && std::chrono::steady_clock::now() < deadline) {
    opens = static_cast<bool>(postgres::open(database.options(), database.clock()));
  }
  CHECK(opens);
}

TEST_CASE("at the start, the error says whether the server refused the first change or took too long") {
  TestDatabase database;
  Options options = database.options();
  for (const std::string sqlstate : {"53100", "40001"}) {  // the disk is full; transactions conflict
    database.run(
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE 'planted' USING ERRCODE = '" +
        sqlstate +
        "'; END $$; CREATE OR REPLACE TRIGGER refusing BEFORE INSERT ON hearsay.writers "
        "FOR EACH ROW EXECUTE FUNCTION refuse()");
    says(open_error(database, options), "planted (SQLSTATE " + sqlstate + ")");
  }
  database.run("DROP TRIGGER refusing ON hearsay.writers");
  options.statement_timeout = std::chrono::seconds(1);
  const auto session = database.session("BEGIN; LOCK TABLE hearsay.writers IN ACCESS EXCLUSIVE MODE");
  says(open_error(database, options), "SQLSTATE 57014");
}

TEST_CASE("the name of the database that people see holds no user and no password") {
  CHECK(database_name("postgresql://u:secret@db1,db2:5433/store") == "database store on db1,db2:5433");
  CHECK(database_name("postgresql://u@db1:1,db2:2/store?password=secret") == "database store on db1:1,db2:2");
  CHECK(database_name("postgresql://u@/store?host=/run/postgresql") == "database store on /run/postgresql:5432");
}

TEST_CASE("the store does not wait longer than its limit for a frozen server") {
  const PostgresServer server;
  const std::chrono::seconds patience(1);
  auto connection = Connection::open({.uri = server.uri("postgres"), .patience = patience}).value();
  REQUIRE(connection->execute("SELECT 1"));
  constexpr Statement kLength{"length", "SELECT octet_length($1::bytea)"};
  const std::string large(std::size_t{16} << 20U, 'x');  // this is more than a socket's buffer holds
  const auto length = connection->run_within(hearsay::tests::kPatience, kLength, Parameters().bytes(large));
  REQUIRE(length);
  REQUIRE(length->int4(0, 0) == large.size());
  server.freeze();
  const auto begun = std::chrono::steady_clock::now();
  SUBCASE("for an answer") { CHECK_FALSE(connection->execute("SELECT 1")); }
  SUBCASE("for sending a statement") { CHECK_FALSE(connection->run(kLength, Parameters().bytes(large))); }
  SUBCASE("for sending a statement that is handed over early") {
    connection->send(kLength, Parameters().bytes(large));
    connection->flush();
    CHECK_FALSE(connection->finish());
  }
  CHECK(connection->broken());
  // A busy machine gets ten times the limit. Without a limit the call would not return before the server is thawed.
  CHECK(std::chrono::steady_clock::now() - begun < 10 * patience);
  server.thaw();
}

TEST_CASE("during a stop the URI's own limit does not prolong the wait for a connection") {
  const hearsay::tests::SilentServer server;
  std::stop_source stopping;
  stopping.request_stop();
  const auto begun = std::chrono::steady_clock::now();
  CHECK_FALSE(Connection::open({.uri = "postgresql://nobody@127.0.0.1:" + std::to_string(server.port()) +
                                       "/store?sslmode=disable&connect_timeout=60",
                                .stopping = stopping.get_token()}));
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));  // 2 s, and time for a busy machine
}

TEST_CASE("no error message contains the password") {
  TestDatabase database;
  Options options = database.options();
  options.connect_timeout = std::chrono::seconds(1);
  for (const std::string& uri :
       {"postgresql://hearsay:s3cret@/" + database.name() + "?host=/nonexistent",
        "postgresql://nobody:s3cret@/" + database.name() + "?host=" + PostgresServer::shared().directory().string(),
        "postgresql://hearsay:s3cret@/nowhere?host=" + PostgresServer::shared().directory().string()}) {
    options.uri = uri;
    const std::string message = open_error(database, options);
    CAPTURE(message);
    CHECK(message.find("s3cret") == std::string::npos);
    CHECK(message.size() > 30);
  }
}

TEST_CASE("a window's partition follows from the task and the window, and a task has few partitions at a time") {
  for (const std::uint64_t days : {1, 7, 300, 301, 400, 5000, 6000, 40'000}) {
    CAPTURE(days);
    TaskSpec spec = make_task().spec();
    spec.report_expiry_age = days * kSecondsPerDay;
    spec.task_duration = 60'000 * kSecondsPerDay;
    const Task task = Task::create(spec).value();
    std::set<std::int32_t> live;
    // When the last of these windows begins, all of them accept reports.
    const UnixSeconds now = kStart + 50'000 * kSecondsPerDay;
    for (UnixSeconds window = now - days * kSecondsPerDay; window <= now; window += kSecondsPerDay / 2) {
      const std::int32_t day = seal_day(task, task.window_of(window));
      live.insert(day);
      // The partition is not dropped before the window can be sealed.
      const UnixSeconds due = task.window_of(window) + kPrecision + days * kSecondsPerDay;
      CHECK((static_cast<UnixSeconds>(day) + 1) * kSecondsPerDay > due);
    }
    CHECK(live.size() <= (days <= 300 ? 303 : 90));
  }
  CHECK(seal_day(make_task(), kStart) == kNever);
  const Task task = aging_task(600);
  CHECK(seal_day(task, task.end()) == kNever);
}

}  // namespace
}  // namespace hearsay::store::postgres::tests
