// Tests a daemon whose database server refuses every batch, or hangs during a change of a task while the daemon stops.
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "tests/e2e/database_daemon.h"

namespace hearsay::e2e {
namespace {

// A daemon whose server refuses each commit of reports with the SQLSTATE.
struct Refused {
  Refused(PostgresServer& of, const std::string& sqlstate) : server(of), name(of.create_database()), state(sqlstate) {
    REQUIRE(store::postgres::migrate({.uri = server.uri(name), .allow_lossy_server = true}));
    server.run(
        name,
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted' USING ERRCODE = '" +
            state +
            "'; END $$; CREATE TRIGGER refusing BEFORE UPDATE OF commit ON hearsay.writers "
            "FOR EACH ROW EXECUTE FUNCTION refuse()");
    daemon.emplace(server.uri(name), "a");
    daemon->create(task);
  }
  // After a failure the daemon becomes ready again, until the next batch fails. So all signs must show at one time.
  bool is_unready() const {
    const Reply refused = post(*daemon, task, numbered(task, 1));
    CHECK(refused.status == 503);
    CHECK(problem_name(refused) == "store_failed");
    CHECK(refused.field("retry-after") == "5");
    const std::string said = daemon->ask("GET", "/readyz").body;
    return said.find("\"store_failed\"") != std::string::npos && said.find("SQLSTATE " + state) != std::string::npos &&
           of_database(*daemon, "up") == 0 && daemon->metric("hearsay_store_healthy{instance=\"a\"}") == 0 &&
           daemon->metric("hearsay_ready{instance=\"a\"}") == 0 && told(*daemon, "database_failed") > 0 &&
           told(*daemon, "store_failed") > 0;
  }
  void check_recovers() const {
    server.run(name, "DROP TRIGGER refusing ON hearsay.writers");
    CHECK(http::eventually([&] { return post(*daemon, task, numbered(task, 1)).status == 200; }));
    CHECK(of_database(*daemon, "up") == 1);
    CHECK(counted(*daemon, task) == 1);
  }

  PostgresServer& server;
  const std::string name;
  const std::string state;
  const Task task = task_of_today("refused");
  std::optional<Sharing> daemon;
};

TEST_CASE("while the server refuses each batch, uploads get 503, and readiness, metrics and log have the SQLSTATE") {
  const Refused slow(PostgresServer::shared(), "57014");         // a statement took too long
  const Refused conflicting(PostgresServer::shared(), "40001");  // transactions conflicted
  for (const Refused* const each : {&slow, &conflicting}) {
    CAPTURE(each->state);
    CHECK(http::eventually([&] { return each->is_unready(); }));
    each->check_recovers();
  }
}

TEST_CASE("a daemon that is told to stop does not wait for a database that hangs during a change of a task") {
  using Steady = std::chrono::steady_clock;
  PostgresServer server;
  const std::string name = server.create_database();
  const std::string uri = server.uri(name);
  REQUIRE(store::postgres::migrate({.uri = uri, .allow_lossy_server = true}));
  Sharing a(uri, "a", [](daemon::DaemonConfig& config) { config.drain = std::chrono::seconds(1); });
  const Task task = task_of_today("stopped");
  a.create(task);
  const std::string lock = "SELECT pg_advisory_lock(1214603634, number) FROM hearsay.tasks";
  std::jthread holder([&] {
    try {
      server.run(name, lock + "; SELECT pg_sleep(60)");
    } catch (const std::exception&) {  // the server stops first
    }
  });
  const std::string locks = "SELECT count(*) FROM pg_locks WHERE classid = 1214603634 AND mode = 'ExclusiveLock' AND ";
  REQUIRE(http::eventually([&] { return server.run(name, locks + "granted") == "1"; }));
  http::TestClient client(a.daemon->port(), http::TestClient::Tls::kOnly12);
  REQUIRE(client.send("DELETE " + path_of(task) + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                      std::string(kAdminToken) + "\r\n\r\n"));
  REQUIRE(http::eventually([&] { return server.run(name, locks + "NOT granted") == "1"; }));
  server.freeze();
  const auto begun = Steady::now();
  a.daemon->stop();
  a.daemon.reset();
  // After 1 s of draining: at most 3 s for the answer to the deletion, and 2 s for each of a few new connections.
  // Without a bound on the deletion the daemon would wait for 35 s.
  CHECK(Steady::now() - begun < std::chrono::seconds(25));
  server.thaw();
  server.stop(SIGQUIT);
}

}  // namespace
}  // namespace hearsay::e2e
