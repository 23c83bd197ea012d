#include "aggregator/store/rocks/status.h"

namespace hearsay::store::rocks {

Error to_error(const rocksdb::Status& status) {
  return status.IsCorruption() ? corrupt(status.ToString()) : failed(status.ToString());
}

Result<void> to_result(const rocksdb::Status& status) {
  if (!status.ok()) return to_error(status);
  return {};
}

Error corrupt(const std::string& message) { return {ErrorCode::kStoreCorrupt, "store: " + message}; }

Error failed(const std::string& message) { return {ErrorCode::kStoreFailed, "store: " + message}; }

}  // namespace hearsay::store::rocks
