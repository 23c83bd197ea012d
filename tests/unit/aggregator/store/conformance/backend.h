// What the conformance suite needs from each store.
#pragma once

#include <cstdint>
#include <memory>

#include "aggregator/store/store.h"

namespace hearsay::store::tests {

// Bounds that the suite sets lower than a daemon does.
struct Bounds {
  std::uint64_t max_window_reports = tally::Tally::kMaxReports;
  std::uint64_t max_window_pairs = std::uint64_t{1} << 22U;
  std::uint64_t max_task_windows = 100'000;
  std::uint64_t max_tally_pairs = std::uint64_t{1} << 23U;
  bool ids_in_memory = true;  // if false, a store that could keep ids in memory keeps them on the disk
};

// One store. The store is empty at first, and is removed with the object. An opened store must be closed before the
// next open().
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::unique_ptr<Store> open(const Bounds& bounds = {}) = 0;
};

// Each program that contains the suite defines this function for its store.
std::unique_ptr<Backend> make_backend();

}  // namespace hearsay::store::tests
