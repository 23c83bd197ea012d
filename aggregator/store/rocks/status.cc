#include "aggregator/store/rocks/status.h"

namespace hearsay::store::rocks {

Error to_error(const rocksdb::Status& status) {
  return {status.IsCorruption() ? ErrorCode::kStoreCorrupt : ErrorCode::kStoreFailed, "store: " + status.ToString()};
}

Result<void> to_result(const rocksdb::Status& status) {
  if (!status.ok()) return to_error(status);
  return {};
}

}  // namespace hearsay::store::rocks
