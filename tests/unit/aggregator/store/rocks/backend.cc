// The embedded store for the conformance suite, in a directory of its own.
#include "tests/unit/aggregator/store/conformance/backend.h"

#include "aggregator/store/rocks/rocks_store.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::tests {
namespace {

class RocksBackend final : public Backend {
 public:
  std::unique_ptr<Store> open(const Bounds& bounds) override {
    rocks::Options options{.path = directory_ / "s"};
    options.max_window_pairs = bounds.max_window_pairs;
    options.max_task_windows = bounds.max_task_windows;
    options.max_tally_pairs = bounds.max_tally_pairs;
    if (!bounds.ids_in_memory) options.max_index_bytes = 0;
    auto store = rocks::RocksStore::open(options, rocksdb::Env::Default(), bounds.max_window_reports);
    if (!store) FAIL(store.error().message);
    return *std::move(store);
  }

 private:
  hearsay::tests::TemporaryDirectory directory_;
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<RocksBackend>(); }

}  // namespace hearsay::store::tests
