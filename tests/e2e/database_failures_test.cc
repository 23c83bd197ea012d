// Tests what the daemon answers while its database is down, hangs or refuses writes, and what the daemon says at its
// start.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "aggregator/store/spread/change.h"
#include "aggregator/store/spread/postgres_member.h"
#include "tests/e2e/database_daemon.h"

namespace hearsay::e2e {
namespace {

TEST_CASE("while the database is down, a daemon answers 503, and later it goes on by itself") {
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
  CHECK(refused.body.find("hearsay@") == std::string::npos);  // clients do not learn the name of the database's user
  CHECK(of_database(a, "up") == 0);
  CHECK(http::eventually([&] { return told(a, "database_failed") == 1; }));
  server.start();
  CHECK(http::eventually([&] { return reasons(a).empty(); }));
  CHECK(post(a, task, numbered(task, 2)).status == 200);
  CHECK(counted(a, task) == 2);
  CHECK(http::eventually([&] { return told(a, "store_recovered") == 1; }));
}

TEST_CASE("while a database hangs, metrics and readiness answer, and name the database") {
  using Steady = std::chrono::steady_clock;
  PostgresServer server;
  const std::string uri = make_database(server);
  const Sharing a(uri, "a");
  const Task task = task_of_today("frozen");
  a.create(task);
  CHECK(post(a, task, numbered(task, 1)).status == 200);
  CHECK(http::eventually([&] { return a.metric("hearsay_reports_stored{instance=\"a\"}") == 1; }));
  CHECK(of_database(a, "up") == 1);
  CHECK(of_database(a, "silent_seconds") < 10);
  const std::string tasks_before = a.call("GET", "/v1/tasks", "", kAdminToken).body;
  server.freeze();
  const auto begun = Steady::now();
  Steady::duration longest{};
  std::vector<bool> ready;
  // Within 12 s, the daemon notices that its own calls wait too long, and calls the database failed.
  while (Steady::now() - begun < std::chrono::seconds(12)) {
    for (const char* const path : {"/metrics", "/readyz"}) {
      const auto asked = Steady::now();
      const Reply reply = a.ask("GET", path);
      longest = std::max(longest, Steady::now() - asked);
      if (path == std::string("/readyz")) ready.push_back(reply.status == 200);
    }
    const auto asked = Steady::now();
    CHECK(a.call("GET", "/v1/status", "", kAdminToken).status == 200);
    CHECK(a.call("GET", "/v1/tasks", "", kAdminToken).status == 200);
    longest = std::max(longest, Steady::now() - asked);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(longest < std::chrono::seconds(1));
  CHECK_FALSE(ready.back());
  const Json readiness = parse_json(a.ask("GET", "/readyz").body).value();
  CHECK(readiness.at("reasons") == Json{"store_failed"});
  const std::string named = readiness.at("unavailable").at(0);
  CAPTURE(named);
  CHECK(named.find("database test") == 0);
  CHECK(named.find(server.directory().string()) != std::string::npos);
  CHECK(of_database(a, "up") == 0);
  CHECK(of_database(a, "silent_seconds") >= 10);
  CHECK(of_database(a, "statistics_age_seconds") >= 10);
  CHECK(a.metric("hearsay_reports_stored{instance=\"a\"}") == 1);  // the number that the daemon read last
  CHECK(a.call("GET", "/v1/tasks", "", kAdminToken).body == tasks_before);
  CHECK(problem_name(post(a, task, numbered(task, 2))) == "store_failed");
  CHECK(http::eventually([&] { return told(a, "database_failed") == 1; }));
  server.thaw();
  CHECK(http::eventually([&] { return reasons(a).empty(); }));
  CHECK(http::eventually([&] { return told(a, "database_recovered") == 1; }));
  CHECK(told(a, "database_failed") == 1);
  CHECK(of_database(a, "up") == 1);
  CHECK(post(a, task, numbered(task, 2)).status == 200);
  CHECK(counted(a, task) == 2);
}

TEST_CASE("a daemon that is told to stop while its database hangs refuses connections at once") {
  PostgresServer server;
  const Sharing a(make_database(server), "a");
  const auto takes_connections = [port = a.daemon->port()] {
    boost::asio::io_context context;
    boost::system::error_code failed;
    boost::asio::ip::tcp::socket(context).connect({boost::asio::ip::address_v4::loopback(), port}, failed);
    return !failed;
  };
  REQUIRE(takes_connections());
  server.freeze();
  // The daemon's threads ask the database each second.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  std::thread stopping([&] { a.daemon->stop(); });
  // The threads wait for longer than 5 s, but the daemon must refuse connections before that.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  bool open = true;
  while (open && std::chrono::steady_clock::now() < deadline) open = takes_connections();
  CHECK_FALSE(open);
  server.thaw();
  stopping.join();
}

// A daemon on a database of its own, which a test breaks and mends.
class Broken {
 public:
  Broken(PostgresServer& server, const std::string& reason)
      : server_(server), name_(server.create_database()), reason_(reason) {
    REQUIRE(store::postgres::migrate({.uri = server.uri(name_), .allow_lossy_server = true}));
    daemon_.emplace(server.uri(name_), "a");
    daemon_->create(task_);
    CHECK(post(*daemon_, task_, numbered(task_, ++posted_)).status == 200);
  }
  const std::string& name() const { return name_; }
  // Runs the statement, and then ends the daemon's connections, as a restart of the server does.
  void change(const std::string& sql) const {
    server_.run("postgres", "ALTER DATABASE " + name_ + " RESET ALL");
    server_.run(name_, sql);
    server_.run("postgres",
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '" + name_ + "'");
  }
  void check_fails() {
    Reply reply;
    REQUIRE(http::eventually([&] {
      reply = post(*daemon_, task_, numbered(task_, posted_ + 1));
      posted_ += reply.status == 200 ? 1 : 0;
      return reply.status != 200;
    }));
    CHECK(reply.status == 503);
    CHECK(problem_name(reply) == "store_failed");
    CHECK(reply.field("retry-after") == "5");
    CHECK(http::eventually([&] { return reasons(*daemon_) == Json{"store_failed"}; }));
    // The daemon may first name another reason: that its connections ended.
    CHECK(http::eventually([&] {
      const std::string said = daemon_->ask("GET", "/readyz").body;
      return said.find("database " + name_) != std::string::npos && said.find(reason_) != std::string::npos;
    }));
    CHECK(of_database(*daemon_, "up") == 0);
    CHECK(daemon_->metric("hearsay_store_healthy{instance=\"a\"}") == 0);
    CHECK(daemon_->metric("hearsay_ready{instance=\"a\"}") == 0);
    CHECK(http::eventually([&] { return told(*daemon_, "database_failed") == 1; }));
    CHECK(http::eventually([&] { return told(*daemon_, "store_failed") == 1; }));
  }
  void check_recovers() {
    CHECK(http::eventually([&] { return reasons(*daemon_).empty(); }));
    CHECK(post(*daemon_, task_, numbered(task_, ++posted_)).status == 200);
    CHECK(counted(*daemon_, task_) == posted_);
    CHECK(of_database(*daemon_, "up") == 1);
    CHECK(told(*daemon_, "database_failed") == 1);
    CHECK(http::eventually([&] { return told(*daemon_, "database_recovered") == 1; }));
  }

 private:
  PostgresServer& server_;
  const std::string name_;
  const std::string reason_;
  const Task task_ = task_of_today("broken");
  std::uint32_t posted_ = 0;
  std::optional<Sharing> daemon_;
};

TEST_CASE("while the daemon cannot use its database, uploads get 503, and readiness, metrics and log have the reason") {
  PostgresServer server;
  Broken read_only(server, "read-only");
  Broken newer(server, "use a newer program");
  Broken none(server, "hearsay store migrate");
  read_only.change("ALTER DATABASE " + read_only.name() + " SET default_transaction_read_only = on");
  newer.change("UPDATE hearsay.meta SET version = version + 1");
  none.change("UPDATE hearsay.meta SET version = 0");
  for (Broken* const each : {&read_only, &newer, &none}) each->check_fails();
  read_only.change("SELECT 1");
  newer.change("UPDATE hearsay.meta SET version = version - 1");
  none.change("UPDATE hearsay.meta SET version = 2");
  for (Broken* const each : {&read_only, &newer, &none}) each->check_recovers();

  Broken crowded(server, "too many connections");
  crowded.change("ALTER ROLE owner CONNECTION LIMIT 0");
  crowded.check_fails();
  crowded.change("ALTER ROLE owner CONNECTION LIMIT -1");
  crowded.check_recovers();
}

// A small file system for the database. Mounting it needs root.
class SmallDisk {
 public:
  SmallDisk() : mounted_(mount("tmpfs", directory_.path().c_str(), "tmpfs", 0, "size=24m,mode=777") == 0) {}
  ~SmallDisk() {
    if (mounted_) umount(directory_.path().c_str());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }
  std::string place() const { return directory_ / "tables"; }

 private:
  tests::TemporaryDirectory directory_;
  const bool mounted_;
};

TEST_CASE("while the database's disk is full, the daemon takes no report, and loses none") {
  const SmallDisk disk;
  if (!disk.mounted()) {
    MESSAGE("not run: no file system can be mounted here");
    return;
  }
  PostgresServer server;
  std::filesystem::create_directory(disk.place());
  const std::filesystem::path data = server.directory() / "data";
  struct stat owner {};
  REQUIRE(stat(data.c_str(), &owner) == 0);
  REQUIRE(chown(disk.place().c_str(), owner.st_uid, owner.st_gid) == 0);
  server.run("postgres", "CREATE TABLESPACE small LOCATION '" + disk.place() + "'");
  server.run("postgres", "CREATE DATABASE full_disk OWNER owner TABLESPACE small");
  const std::string uri = server.uri("full_disk");
  REQUIRE(store::postgres::migrate({.uri = uri, .allow_lossy_server = true}));
  const Sharing a(uri, "a");
  const Task task = task_of_today("full");
  a.create(task);
  std::uint32_t next = 0;
  CHECK(post(a, task, numbered(task, next++)).status == 200);
  server.run("full_disk", "CREATE TABLE filler (text text); ALTER TABLE filler ALTER text SET STORAGE PLAIN");
  const auto fill = [&](const std::string& pages) {
    server.run("full_disk", "INSERT INTO filler SELECT repeat('x', 6000) FROM generate_series(1, " + pages + ")");
  };
  for (const std::string pages : {"100", "1"})
    CHECK_THROWS([&] {
      for (;;) fill(pages);
    }());
  std::uint32_t accepted = next;
  Reply refused;
  REQUIRE(http::eventually([&] {
    std::vector<std::uint8_t> bytes;
    for (int i = 0; i < 100; ++i) append_report(numbered(task, next++), bytes);
    refused = a.call("POST", path_of(task, "/reports"), std::string(bytes.begin(), bytes.end()), "", kCbor);
    if (refused.status == 200) accepted = next;
    return refused.status != 200;
  }));
  CHECK(refused.status == 503);
  CHECK(problem_name(refused) == "store_failed");
  CHECK(http::eventually([&] { return told(a, "store_failed") == 1; }));
  CAPTURE(a.log_lines.str());
  CHECK(a.log_lines.str().find("No space left on device") != std::string::npos);
  CHECK(of_database(a, "up") == 0);
  server.run("full_disk", "DROP TABLE filler");
  std::vector<std::uint8_t> again;
  for (std::uint32_t i = 0; i < next; ++i) append_report(numbered(task, i), again);
  CHECK(http::eventually([&] {
    return a.call("POST", path_of(task, "/reports"), std::string(again.begin(), again.end()), "", kCbor).status == 200;
  }));
  CHECK(next > accepted);
  CHECK(counted(a, task) == next);
}

TEST_CASE("if one of several databases is down, the daemon names this database and stays ready") {
  PostgresServer first;
  PostgresServer second;
  const std::vector<std::string> uris{make_database(first), make_database(second)};
  {
    const auto clock = make_system_clock();
    std::vector<store::spread::Member> members;
    std::vector<std::string> servers;
    for (const std::string& uri : uris) {
      members.push_back(
          store::spread::open_member({.uri = uri, .instance = "map", .allow_lossy_server = true}, *clock).value());
      servers.push_back(members.back().keeper->server());
    }
    REQUIRE(store::spread::add_entry(members, servers, {}, {}));
  }
  const Sharing a(uris[0] + " " + uris[1], "a");
  const auto up = [&](const PostgresServer& server) {
    return a.metric("hearsay_database_up{database=\"database test1 on " + server.directory().string() +
                    ":5432\",instance=\"a\"}");
  };
  CHECK(up(first) == 1);
  CHECK(up(second) == 1);
  second.stop(SIGKILL);
  CHECK(http::eventually([&] { return up(second) == 0; }));
  CHECK(up(first) == 1);
  const Reply reply = a.ask("GET", "/readyz");
  CHECK(reply.status == 200);
  const Json readiness = parse_json(reply.body).value();
  CHECK(readiness.at("warnings") == Json{"database_unavailable"});
  REQUIRE(readiness.at("unavailable").size() == 1);
  CHECK(readiness.at("unavailable").at(0).get<std::string>().find(second.directory().string()) != std::string::npos);
  CHECK(http::eventually([&] { return told(a, "database_failed") == 1; }));
  second.start();
  CHECK(http::eventually([&] { return up(second) == 1; }));
  CHECK(http::eventually([&] { return told(a, "database_recovered") == 1; }));
  CHECK(told(a, "database_failed") == 1);
  CHECK(told(a, "store_failed") == 0);
}

// Starts a daemon on this database. Returns the error.
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

TEST_CASE("a daemon that cannot start says what is wrong with its database") {
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
  server.run(name, "UPDATE hearsay.meta SET version = 1");
  says(start_error(changed), "hearsay store migrate");
  server.run(name, "UPDATE hearsay.meta SET version = 2");
  server.run(name, "ALTER DATABASE " + name + " SET default_transaction_read_only = on");
  says(start_error(changed), "read-only");
}

TEST_CASE("a password comes from a file, the daemon reports a wrong password, and no message holds a password") {
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
  const Task task = task_of_today("guarded");
  a.create(task);
  CHECK(a.log_lines.str().find("geheim") == std::string::npos);
  CHECK(a.ask("GET", "/metrics").body.find("geheim") == std::string::npos);
  CHECK(a.call("GET", "/v1/status", "", kAdminToken).body.find("geheim") == std::string::npos);
  server.run(name, "ALTER ROLE guarded PASSWORD 'geheim-3'");
  server.run("postgres",
             "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '" + name + "'");
  CHECK(http::eventually([&] { return reasons(a) == Json{"store_failed"}; }));
  const Reply refused = post(a, task, numbered(task, 1));
  CHECK(refused.status == 503);
  CHECK(problem_name(refused) == "store_failed");
  CHECK(of_database(a, "up") == 0);
  const std::string said = a.ask("GET", "/readyz").body;
  CHECK(said.find("password authentication failed") != std::string::npos);
  CHECK(said.find("geheim") == std::string::npos);
  CHECK(a.log_lines.str().find("geheim") == std::string::npos);
}

}  // namespace
}  // namespace hearsay::e2e
