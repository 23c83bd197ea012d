// What the tests of the shared store share: a database with a schema, and stores on it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "aggregator/store/postgres/postgres_store.h"
#include "hearsay/clock.h"
#include "tests/support/patience.h"
#include "tests/support/postgres_server.h"
#include "tests/unit/aggregator/store/reports.h"

namespace hearsay::store::postgres::tests {

using hearsay::tests::PostgresServer;
using namespace store::tests;  // NOLINT(google-build-using-namespace)

// A database with the schema, on the shared server or on a server of the test.
class TestDatabase {
 public:
  explicit TestDatabase(PostgresServer& server = PostgresServer::shared())
      : server_(server), name_(server.create_database()) {
    const auto migrated = migrate(options());
    if (!migrated) FAIL(migrated.error().message);
  }

  Options options(const std::string& instance = "first") const {
    return {.uri = server_.uri(name_), .instance = instance, .allow_lossy_server = true};
  }
  Clock& clock() { return *clock_; }
  std::unique_ptr<Store> open(const std::string& instance = "first") { return open(options(instance)); }
  std::unique_ptr<Store> open(const Options& options) {
    auto store = postgres::open(options, *clock_);
    if (!store) FAIL(store.error().message);
    return *std::move(store);
  }
  std::string run(const std::string& sql) const { return server_.run(name_, sql); }
  // Returns a session of the superuser. The session has run the statements.
  std::unique_ptr<Connection> session(const std::string& sql) const {
    auto opened = Connection::open(
        {.uri = server_.uri(name_) + "&user=hearsay", .idle_in_transaction_timeout = std::chrono::seconds(0)});
    if (!opened) FAIL(opened.error().message);
    const auto done = (*opened)->execute(sql);
    if (!done) FAIL(done.error().message);
    return *std::move(opened);
  }
  void await_waiting(int sessions) const {
    const std::string waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    const auto deadline = std::chrono::steady_clock::now() + hearsay::tests::kPatience;
    while (run(waiting) != std::to_string(sessions)) {
      if (std::chrono::steady_clock::now() > deadline) FAIL("not so many sessions wait");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void end_connections() const {
    run("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  }
  const std::string& name() const { return name_; }

 private:
  PostgresServer& server_;
  const std::string name_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
};

// Runs the upkeep until the query returns 0. The upkeep pauses for a while after a failure.
inline void await_clear(const TestDatabase& database, Store& store, const std::string& query) {
  const auto deadline = std::chrono::steady_clock::now() + hearsay::tests::kPatience;
  while (database.run(query) != "0") {
    if (std::chrono::steady_clock::now() > deadline) FAIL("rows stay: " << query);
    REQUIRE(store.check_directory());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace hearsay::store::postgres::tests
