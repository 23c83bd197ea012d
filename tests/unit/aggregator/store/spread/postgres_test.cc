#include <chrono>
#include <csignal>
#include <thread>

#include "aggregator/store/postgres/connection.h"

#include "tests/unit/aggregator/store/spread/postgres_databases.h"
#include "tests/unit/aggregator/store/spread/spread_fixture.h"

namespace hearsay::store::spread::tests {
namespace {

using hearsay::tests::PostgresServer;

TEST_CASE("two daemons spread reports over two PostgreSQL databases") {
  const PostgresDatabases databases(2);
  const MapState state = databases.add_map({0, 1});
  REQUIRE(state.entries.size() == 1);
  CHECK(state.entries[0].servers[0] != state.entries[0].servers[1]);
  const auto first = databases.open("first");
  const auto second = databases.open("second");
  const Task task = make_task();
  REQUIRE(first->add_task(task));
  const std::vector<Report> reports = make_reports(task, 0, 200, 3);
  append_new(*first, task, reports);
  CHECK(append(*second, task, reports).value() == std::vector(reports.size(), AppendOutcome::kReplayed));
  CHECK(whole_tally(*second, task) == tally_of(task, reports));
  CHECK(verified_reports(*second) == reports.size());
  CHECK(first->statistics().unavailable.empty());
}

TEST_CASE("a database that gets a map shuts out daemons that use the database alone") {
  const PostgresDatabases databases(2);
  const Task task = make_task();
  auto alone = postgres::open({databases.options(0, "alone")}, databases.clock());
  REQUIRE(alone);
  REQUIRE((*alone)->add_task(task));
  append_new(**alone, task, make_reports(task, 0, 10));
  const std::uint64_t commits = (*alone)->statistics().commits;
  databases.add_map({0});
  CHECK((*alone)->statistics().commits == commits);
  CHECK_FALSE(append(**alone, task, make_reports(task, 10, 20)));
  const auto again = postgres::open({databases.options(0, "alone")}, databases.clock());
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::kStoreFailed);
  CHECK(again.error().message.find("several databases") != std::string::npos);

  databases.add_map({0, 1});
  const auto store = databases.open("first");
  append_new(*store, task, make_reports(task, 10, 20));
  CHECK(verified_reports(*store) == 20);
}

TEST_CASE("an acceptance that a command finds is written again, so that a standby confirms it") {
  const PostgresDatabases databases(1);
  const std::string row = "SELECT xmin FROM hearsay.map";
  const Member member = open_member(databases.options(0, "first"), databases.clock()).value();
  const auto nothing = [](MapRow&, UnixSeconds) { return Result<void>(); };
  const MapEntry entry{1, 0, {member.keeper->server()}};
  REQUIRE(member.keeper->update([&](MapRow& changed, UnixSeconds) { return propose(changed, {}, entry); }));
  const std::string accepted = databases.run(0, row);
  CHECK(member.keeper->update(nothing)->proposed == entry);
  const std::string read = databases.run(0, row);
  CHECK(read != accepted);
  postgres::Options options = databases.options(0, "reader");
  options.read_only = true;
  CHECK(open_member(options, databases.clock())->keeper->update(nothing)->proposed == entry);
  CHECK(databases.run(0, row) == read);
  REQUIRE(member.keeper->update([&](MapRow& changed, UnixSeconds) { return decide(changed, entry); }));
  const std::string decided = databases.run(0, row);
  REQUIRE(member.keeper->update(nothing));
  CHECK(databases.run(0, row) == decided);
}

TEST_CASE("if a map is made while a daemon starts on the database alone, this daemon is shut out") {
  const PostgresDatabases databases(1);
  // The test delays writing a daemon's row by the lock 7, and writing a map by the lock 8.
  databases.run(0,
                "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                "PERFORM pg_advisory_xact_lock_shared(TG_ARGV[0]::int8); RETURN NEW; END $$; "
                "CREATE TRIGGER waiting BEFORE INSERT ON hearsay.writers FOR EACH ROW "
                "WHEN (NEW.instance = 'alone') EXECUTE FUNCTION wait(7); "
                "CREATE TRIGGER waiting BEFORE INSERT ON hearsay.map FOR EACH ROW EXECUTE FUNCTION wait(8)");
  const auto hold = [&](const std::string& lock) {
    auto session = postgres::Connection::open({.uri = databases.options(0, "test").uri});
    REQUIRE(session);
    REQUIRE((*session)->execute("SELECT pg_advisory_lock(" + lock + ")"));
    return *std::move(session);
  };
  const auto await_waiting = [&](const std::string& sessions) {
    const auto deadline = std::chrono::steady_clock::now() + hearsay::tests::kPatience;
    while (databases.run(0,
                         "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                         "AND wait_event_type = 'Lock'") != sessions) {
      if (std::chrono::steady_clock::now() > deadline) FAIL("not so many sessions wait");
    }
  };
  auto seven = hold("7");
  auto eight = hold("8");
  Result<std::unique_ptr<Store>> alone = Error{ErrorCode::kInternal, ""};
  std::thread starting([&] { alone = postgres::open(databases.options(0, "alone"), databases.clock()); });
  await_waiting("1");
  std::thread mapping([&] { databases.add_map({0}); });
  await_waiting("2");
  seven.reset();
  starting.join();
  eight.reset();
  mapping.join();
  const Task task = make_task();
  const auto store = databases.open("first");
  REQUIRE(store->add_task(task));
  // Either the start has seen the map, or the map has deleted the daemon's row.
  if (alone) CHECK_FALSE(append(**alone, task, make_reports(task, 0, 10)));
  append_new(*store, task, make_reports(task, 0, 10));
  CHECK(verified_reports(*store) == 10);
}

TEST_CASE("if the confirmation of a decision is lost, the next change of the map writes the decision again") {
  const PostgresDatabases databases(2);
  databases.add_map({0, 1});
  const std::string row = "SELECT xmin FROM hearsay.map";
  const std::vector<std::string> before{databases.run(0, row), databases.run(1, row)};
  databases.add_map({0, 1});
  CHECK(databases.run(0, row) != before[0]);
  CHECK(databases.run(1, row) != before[1]);
}

TEST_CASE("a start with a wrong configuration does not shut out a daemon of the same name") {
  const PostgresDatabases databases(2);
  databases.add_map({0, 1});
  const auto store = databases.open("first");
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const auto wrong = open_databases({databases.options(0, "first")}, {}, databases.clock());
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == ErrorCode::kInvalidArgument);
  append_new(*store, task, make_reports(task, 0, 20));
  const auto right =
      open_databases({databases.options(1, "second"), databases.options(0, "second")}, {}, databases.clock());
  REQUIRE(right);
  CHECK(whole_tally(**right, task).reports() == 20);
}

TEST_CASE("while a PostgreSQL server is down the reports for its database wait, and later they are accepted") {
  PostgresServer other;
  const PostgresDatabases databases({&PostgresServer::shared(), &other});
  databases.add_map({0, 1});
  const auto store = databases.open("first");
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const std::vector<Report> reports = make_reports(task, 0, 100);
  append_new(*store, task, {reports.begin(), reports.begin() + 50});
  const auto whole = whole_tally(*store, task);

  other.stop(SIGQUIT);
  const auto outcomes = append(*store, task, reports).value();
  CHECK(count_of(outcomes, AppendOutcome::kUnavailable) > 0);
  CHECK(count_of(outcomes, AppendOutcome::kAccepted) > 0);
  CHECK(count_of(outcomes, AppendOutcome::kReplayed) > 0);
  CHECK(store->healthy());
  REQUIRE(store->statistics().unavailable.size() == 1);
  const auto tally = store->tally(task, {});
  REQUIRE_FALSE(tally);
  CHECK(tally.error().message.find(other.socket()) != std::string::npos);
  const auto closed = store->close_task(task.id(), kStart);
  REQUIRE_FALSE(closed);
  CHECK(closed.error().code == ErrorCode::kStoreFailed);

  other.start();
  std::vector<AppendOutcome> later;
  const auto deadline = std::chrono::steady_clock::now() + hearsay::tests::kPatience;
  do {
    later = append(*store, task, reports).value();
  } while (count_of(later, AppendOutcome::kUnavailable) > 0 && std::chrono::steady_clock::now() < deadline);
  CHECK(whole_tally(*store, task) == tally_of(task, reports));
  CHECK(verified_reports(*store) == reports.size());
  REQUIRE(store->close_task(task.id(), kStart));
  CHECK(store->tasks()->front().closed_at == kStart);
}

}  // namespace
}  // namespace hearsay::store::spread::tests
