// PostgreSQL databases for the tests of the spread store.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "aggregator/store/postgres/postgres.h"
#include "aggregator/store/spread/change.h"
#include "aggregator/store/spread/postgres_member.h"
#include "hearsay/clock.h"
#include "tests/support/postgres_server.h"

namespace hearsay::store::spread::tests {

// Databases with a schema, on one server or each on a server of its own.
class PostgresDatabases {
 public:
  using Server = hearsay::tests::PostgresServer;

  explicit PostgresDatabases(std::size_t count) : servers_(count, &Server::shared()) { make(); }
  explicit PostgresDatabases(std::vector<Server*> servers) : servers_(std::move(servers)) { make(); }

  postgres::Options options(std::size_t i, const std::string& instance) const {
    return {.uri = servers_[i]->uri(names_[i]), .instance = instance, .allow_lossy_server = true};
  }
  // Returns the databases as the daemon or administrator `instance` opens them.
  std::vector<Member> members(const std::string& instance) const {
    std::vector<Member> all;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      auto member = open_member(options(i, instance), *clock_);
      if (!member) FAIL(member.error().message);
      all.push_back(*std::move(member));
    }
    return all;
  }
  std::unique_ptr<Store> open(const std::string& instance, const Options& options = {}) const {
    auto store = spread::open(members(instance), options);
    if (!store) FAIL(store.error().message);
    return *std::move(store);
  }
  // Adds an entry to the map. `order` gives the databases of the entry.
  MapState add_map(const std::vector<std::size_t>& order, std::optional<UnixSeconds> from = {},
                   const Options& options = {}) const {
    const auto all = members("administrator");
    std::vector<std::string> servers;
    for (const std::size_t i : order) servers.push_back(all[i].keeper->server());
    auto state = add_entry(all, servers, from, options);
    if (!state) FAIL(state.error().message);
    return *std::move(state);
  }
  std::string run(std::size_t i, const std::string& sql) const { return servers_[i]->run(names_[i], sql); }
  Clock& clock() const { return *clock_; }

 private:
  void make() {
    for (Server* server : servers_) {
      names_.push_back(server->create_database());
      const auto migrated = postgres::migrate(options(names_.size() - 1, "administrator"));
      if (!migrated) FAIL(migrated.error().message);
    }
  }

  const std::vector<Server*> servers_;
  std::vector<std::string> names_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
};

}  // namespace hearsay::store::spread::tests
