// Daemons that share a PostgreSQL database: all have the same tasks, they survive a database that comes and goes, and a
// start refuses a wrong database.
#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/e2e/database_daemon.h"

namespace hearsay::e2e {
namespace {

Json reasons(const Aggregator& aggregator) { return parse_json(aggregator.ask("GET", "/readyz").body)->at("reasons"); }

TEST_CASE("a task that one daemon creates, closes or deletes is created, closed or deleted for the other") {
  const std::string uri = make_database(PostgresServer::shared());
  const Sharing a(uri, "a");
  const Sharing b(uri, "b");
  const Task task = task_of_today("shared");
  a.create(task);
  CHECK(post(b, task, numbered(task, 1)).status == 200);  // b looks the task up
  CHECK(post(a, task, numbered(task, 1)).body.find("\"replayed\":1") != std::string::npos);
  CHECK(post(a, task, numbered(task, 2)).status == 200);
  CHECK(counted(a, task) == 2);
  CHECK(counted(b, task) == 2);
  CHECK(a.tally(task) == b.tally(task));

  CHECK(a.call("POST", path_of(task, "/close"), "", kAdminToken).status == 200);
  CHECK(problem_name(post(b, task, numbered(task, 3))) == "task_closed");  // at once: the transaction checks
  CHECK(counted(b, task) == 2);
  const Task other = task_of_today("other");
  a.create(other);
  CHECK(http::eventually([&] { return b.call("GET", path_of(other)).status == 200; }));  // b has heard of it
  CHECK(a.call("DELETE", path_of(other), "", kAdminToken).status == 204);
  CHECK(problem_name(post(b, other, numbered(other, 1))) == "unrecognizedTask");
  CHECK(http::eventually([&] { return b.call("GET", path_of(other)).status == 404; }));
}

TEST_CASE("two hundred concurrent copies of each report over two daemons are counted once") {
  constexpr std::uint32_t kReports = 10'000;
  constexpr std::uint32_t kBatch = 1000;
  constexpr int kCopies = 200;
  constexpr int kThreads = 20;
  const std::string uri = make_database(PostgresServer::shared());
  const Sharing a(uri, "a");
  const Sharing b(uri, "b");
  const Task task = task_of_today("duplicates");
  a.create(task);
  REQUIRE(http::eventually([&] { return b.call("GET", path_of(task)).status == 200; }));
  std::vector<std::string> bodies;
  for (std::uint32_t from = 0; from < kReports; from += kBatch) {
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t i = from; i < from + kBatch; ++i) append_report(numbered(task, i), bytes);
    bodies.emplace_back(bytes.begin(), bytes.end());
  }
  std::atomic<std::uint64_t> refused{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const Aggregator& to = t % 2 == 0 ? static_cast<const Aggregator&>(a) : b;
        for (const std::string& body : bodies) {
          for (int copy = 0; copy < kCopies / kThreads; ++copy) {
            refused += to.call("POST", path_of(task, "/reports"), body, "", kCbor).status != 200 ? 1 : 0;
          }
        }
      });
    }
  }
  CHECK(refused == 0);
  CHECK(counted(a, task) == kReports);
  const auto sum = [&](const std::string& name, const std::string& id) {
    const auto of = [&](const Aggregator& daemon, const std::string& instance) {
      return daemon.metric("hearsay_reports_" + name + "_total{instance=\"" + instance + "\",task=\"" + id + "\"}");
    };
    return of(a, "a") + of(b, "b");
  };
  CHECK(sum("accepted", task.id().to_string()) == kReports);
  CHECK(sum("replayed", task.id().to_string()) == kReports * (kCopies - 1));
}

TEST_CASE("while the database is down a daemon answers 503, and goes on by itself afterwards") {
  PostgresServer server;
  const std::string uri = make_database(server);
  const Sharing a(uri, "a");
  const Task task = task_of_today("down");
  a.create(task);
  CHECK(post(a, task, numbered(task, 1)).status == 200);
  CHECK(reasons(a).empty());
  server.stop(SIGKILL);
  CHECK(http::eventually([&] { return reasons(a) == Json{"store_failed"}; }));
  const Reply refused = post(a, task, numbered(task, 2));
  CHECK(refused.status == 503);
  CHECK(problem_name(refused) == "store_failed");
  CHECK(refused.field("retry-after") == "5");
  CHECK(refused.body.find("hearsay@") == std::string::npos);  // the name of the database is for the operator alone
  CHECK(a.ask("GET", "/metrics").status == 200);
  server.start();
  CHECK(http::eventually([&] { return reasons(a).empty(); }));
  CHECK(post(a, task, numbered(task, 2)).status == 200);
  CHECK(counted(a, task) == 2);
  CHECK(a.log_lines.str().find("store_recovered") != std::string::npos);
}

TEST_CASE("a daemon whose name another daemon takes is not ready, and acknowledges nothing more") {
  const std::string uri = make_database(PostgresServer::shared());
  const Sharing first(uri, "a");
  const Task task = task_of_today("shut out");
  first.create(task);
  const Sharing second(uri, "a");
  CHECK(problem_name(post(first, task, numbered(task, 1))) == "store_failed");
  CHECK(
      http::eventually([&] { return first.log_lines.str().find("under this instance's name") != std::string::npos; }));
  CHECK(reasons(first) == Json{"store_failed"});
  CHECK(post(second, task, numbered(task, 1)).status == 200);
  CHECK(counted(second, task) == 1);
}

// Returns the error of a start on this database.
std::string start_error(const std::string& uri, bool lossy = true, std::int64_t clock_ahead = 0) {
  const http::TestCertificate certificate;
  daemon::DaemonConfig config;
  config.store = uri;
  config.instance = "a";
  config.allow_lossy_database = lossy;
  config.certificate = certificate.files().certificate;
  config.private_key = certificate.files().private_key;
  config.listen = config.operator_listen = {"127.0.0.1", 0};
  tests::ManualClock clock(make_system_clock()->now() + static_cast<UnixSeconds>(clock_ahead));
  const auto started = daemon::Daemon::start(config, clock);
  return started ? "started" : started.error().message;
}

TEST_CASE("a start says what is wrong with the database") {
  PostgresServer& server = PostgresServer::shared();
  const std::string uri = make_database(server);
  const auto says = [](const std::string& message, const std::string& part) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  };
  CHECK(start_error(uri) == "started");
  says(start_error("postgresql://hearsay@127.0.0.1:1/hearsay"), "onnection refused");
  says(start_error(server.uri("nowhere")), "\"nowhere\" does not exist");
  says(start_error(server.uri(server.create_database())), "hearsay store migrate");
  says(start_error(uri, false), "fsync = off");
  says(start_error(uri, true, 3600), "clock");
  says(start_error("postgresql://hearsay@db.example/hearsay"), "sslmode=verify-full");

  const std::string name = server.create_database();
  const std::string changed = server.uri(name);
  REQUIRE(store::postgres::migrate({.uri = changed, .allow_lossy_server = true}));
  server.run(name, "UPDATE hearsay.meta SET version = version + 1");
  says(start_error(changed), "newer");
  server.run(name, "UPDATE hearsay.meta SET version = version - 1");
  server.run(name, "ALTER DATABASE " + name + " SET default_transaction_read_only = on");
  says(start_error(changed), "read-only");
}

TEST_CASE("a password comes from a file; a wrong one is an error, and no message holds a password") {
  PostgresServer server;
  const std::string name = server.create_database();
  server.run(name, "CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'geheim-1'");
  std::ofstream(server.directory() / "data/pg_hba.conf") << "local all guarded scram-sha-256\nlocal all all trust\n";
  server.run(name, "SELECT pg_reload_conf()");
  const tests::TemporaryDirectory files;
  const auto uri_with = [&](const std::string& password) {
    std::ofstream(files / "pgpass") << "*:*:*:guarded:" << password << '\n';
    std::filesystem::permissions(files / "pgpass", std::filesystem::perms::owner_read,
                                 std::filesystem::perm_options::replace);
    return "postgresql://guarded@/" + name + "?host=" + server.directory().string() +
           "&passfile=" + (files / "pgpass").string();
  };
  REQUIRE(store::postgres::migrate({.uri = server.uri(name), .allow_lossy_server = true}));
  REQUIRE(http::eventually(
      [&] { return start_error(uri_with("geheim-2")).find("password authentication failed") != std::string::npos; }));
  CHECK(start_error(uri_with("geheim-2")).find("geheim") == std::string::npos);
  const Sharing a(uri_with("geheim-1"), "a");
  CHECK(a.log_lines.str().find("geheim") == std::string::npos);
  CHECK(a.ask("GET", "/metrics").body.find("geheim") == std::string::npos);
  CHECK(a.call("GET", "/v1/status", "", kAdminToken).body.find("geheim") == std::string::npos);
}

}  // namespace
}  // namespace hearsay::e2e
