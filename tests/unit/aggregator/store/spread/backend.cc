// The spread store for the conformance suite. The store is over two embedded stores, or over two PostgreSQL databases
// if HEARSAY_SPREAD_OVER is "postgres".
#include "tests/unit/aggregator/store/conformance/backend.h"

#include <cstdlib>

#include "tests/unit/aggregator/store/spread/postgres_databases.h"
#include "tests/unit/aggregator/store/spread/spread_fixture.h"

namespace hearsay::store::tests {
namespace {

constexpr std::size_t kDatabases = 2;

spread::Options options_of(const Bounds& bounds) {
  return {.max_ahead = ~UnixSeconds{0} / 2, .max_tally_pairs = bounds.max_tally_pairs};
}

class EmbeddedBackend final : public Backend {
 public:
  EmbeddedBackend() {
    for (std::size_t i = 0; i < kDatabases; ++i) {
      keepers_.push_back(std::make_shared<spread::tests::MemoryKeeper>("s" + std::to_string(i), clock_));
    }
  }
  std::unique_ptr<Store> open(const Bounds& bounds) override {
    std::vector<spread::Member> members;
    for (const auto& keeper : keepers_) {
      auto store = rocks::RocksStore::open({.path = dir_ / keeper->server(),
                                            .max_window_pairs = bounds.max_window_pairs,
                                            .max_task_windows = bounds.max_task_windows,
                                            .max_tally_pairs = bounds.max_tally_pairs},
                                           rocksdb::Env::Default(), bounds.max_window_reports);
      if (!store) FAIL(store.error().message);
      members.push_back({keeper->server(), *std::move(store), keeper});
    }
    if (const auto map = add_entry(members, {"s0", "s1"}, {}, options_of(bounds)); !map) FAIL(map.error().message);
    auto store = spread::open(members, options_of(bounds));
    if (!store) FAIL(store.error().message);
    return *std::move(store);
  }

 private:
  hearsay::tests::TemporaryDirectory dir_;
  hearsay::tests::ManualClock clock_{kStart};
  std::vector<std::shared_ptr<spread::tests::MemoryKeeper>> keepers_;
};

class PostgresBackend final : public Backend {
 public:
  PostgresBackend() { databases_.add_map({0, 1}); }
  std::unique_ptr<Store> open(const Bounds& bounds) override { return databases_.open("first", options_of(bounds)); }

 private:
  spread::tests::PostgresDatabases databases_{kDatabases};
};

}  // namespace

std::unique_ptr<Backend> make_backend() {
  const char* const over = std::getenv("HEARSAY_SPREAD_OVER");
  if (over != nullptr && std::string_view(over) == "postgres") return std::make_unique<PostgresBackend>();
  return std::make_unique<EmbeddedBackend>();
}

}  // namespace hearsay::store::tests
