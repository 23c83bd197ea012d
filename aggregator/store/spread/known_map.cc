#include "aggregator/store/spread/known_map.h"

#include <algorithm>

namespace hearsay::store::spread {

std::shared_ptr<const std::vector<MapEntry>> KnownMap::entries() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

Result<void> KnownMap::learn(const std::vector<MapEntry>& entries) {
  const std::lock_guard lock(mutex_);
  if (!agree(*entries_, entries)) {
    return Error{ErrorCode::kStoreCorrupt, "its map contradicts the map of another database"};
  }
  if (entries.size() > entries_->size()) entries_ = std::make_shared<const std::vector<MapEntry>>(entries);
  return {};
}

bool KnownMap::has_decided(const MapEntry& entry) const {
  const auto known = entries();
  return std::find(known->begin(), known->end(), entry) != known->end();
}

}  // namespace hearsay::store::spread
