// The shared store for the conformance suite, with a database of its own on the test's server.
#include "tests/unit/aggregator/store/conformance/backend.h"

#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store::tests {
namespace {

class PostgresBackend final : public Backend {
 public:
  std::unique_ptr<Store> open(const Bounds& bounds) override {
    postgres::Options options = database_.options();
    options.max_window_pairs = bounds.max_window_pairs;
    options.max_task_windows = bounds.max_task_windows;
    options.max_tally_pairs = bounds.max_tally_pairs;
    auto store = postgres::PostgresStore::open(options, database_.clock(), bounds.max_window_reports);
    if (!store) FAIL(store.error().message);
    return *std::move(store);
  }

 private:
  postgres::tests::TestDatabase database_;
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<PostgresBackend>(); }

}  // namespace hearsay::store::tests
