// Keeps the entries of the map that this process has read.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "aggregator/store/spread/map.h"

namespace hearsay::store::spread {

// The decided entries that this process has read. Thread-safe.
class KnownMap {
 public:
  explicit KnownMap(std::vector<MapEntry> entries)
      : entries_(std::make_shared<const std::vector<MapEntry>>(std::move(entries))) {}

  std::shared_ptr<const std::vector<MapEntry>> entries() const;
  // Takes over entries that the known map lacks. Errors: kStoreCorrupt (`entries` contradicts the known entries).
  Result<void> learn(const std::vector<MapEntry>& entries);
  bool has_decided(const MapEntry& entry) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const std::vector<MapEntry>> entries_;
};

}  // namespace hearsay::store::spread
