// Gives several reads one consistent view of the database.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "aggregator/store/postgres/database.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {

// A transaction whose reads all see what was committed when the first of them began. The transaction ends with the
// object. Thread-safety: one thread at a time.
class Snapshot {
 public:
  static Result<std::shared_ptr<Snapshot>> take(Database& database) {
    HEARSAY_TRY(Database::Lease lease, database.lease());
    HEARSAY_CHECK_OK(
        lease->execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
                       "SET LOCAL idle_in_transaction_session_timeout = '15min'"));
    return std::shared_ptr<Snapshot>(new Snapshot(std::move(lease)));
  }
  // Errors: kStoreFailed (an earlier read failed, and the view is gone).
  Result<Connection*> connection() {
    if (lease_->in_transaction()) return &*lease_;
    return Error{ErrorCode::kStoreFailed, "an earlier read of the database failed"};
  }

 private:
  explicit Snapshot(Database::Lease lease) : lease_(std::move(lease)) {}
  Database::Lease lease_;
};

// Converts a time or a count to PostgreSQL's int8. A larger number becomes the largest int8.
inline std::int64_t to_database(std::uint64_t value) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(value, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())));
}

inline Error not_a_tally(const std::string& table) {
  return {ErrorCode::kStoreCorrupt, "a row of hearsay." + table + " holds no tally of its task"};
}

}  // namespace hearsay::store::postgres
