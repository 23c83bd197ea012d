// Shared by the tests of the shared store: a database with a schema, and stores on it.
#pragma once

#include <memory>
#include <string>

#include "aggregator/store/postgres/postgres_store.h"
#include "hearsay/clock.h"
#include "tests/support/postgres_server.h"
#include "tests/unit/aggregator/store/reports.h"

namespace hearsay::store::postgres::tests {

using hearsay::tests::PostgresServer;
using namespace store::tests;  // NOLINT(google-build-using-namespace)

// A database of its own, with the schema, on a server that does not wait for the disk.
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
  const std::string& name() const { return name_; }

 private:
  PostgresServer& server_;
  const std::string name_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
};

}  // namespace hearsay::store::postgres::tests
