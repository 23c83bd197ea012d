#include "sdk/ledger/guarded_database.h"

#include <unistd.h>

#include <utility>

#include "common/base/try.h"
#include "sdk/ledger/ledger_row.h"

namespace hearsay::sdk {
namespace {

// Rolls the transaction back unless it was committed, also if the work throws.
class RollbackUnlessCommitted {
 public:
  explicit RollbackUnlessCommitted(Database& database) : database_(database) {}
  ~RollbackUnlessCommitted() { database_.rollback(); }
  RollbackUnlessCommitted(const RollbackUnlessCommitted&) = delete;
  RollbackUnlessCommitted& operator=(const RollbackUnlessCommitted&) = delete;

 private:
  Database& database_;
};

}  // namespace

GuardedDatabase::GuardedDatabase(Database database, Reopen reopen, RollbackCounter* counter)
    : database_(std::move(database)), reopen_(std::move(reopen)), counter_(counter), owner_(getpid()) {}

GuardedDatabase::~GuardedDatabase() {
  if (getpid() != owner_ && database_) database_->abandon();
}

Result<void> GuardedDatabase::transact(const std::function<Result<void>(Database&)>& work, bool raises_first) {
  // Checks the process before it takes the lock, since another thread of the parent may have held the lock at the fork.
  if (getpid() != owner_) {
    return Error{ErrorCode::kInUse, "the ledger belongs to the parent of this process; open another ledger here"};
  }
  const std::lock_guard lock(mutex_);
  if (!database_) {
    HEARSAY_TRY(database_, reopen_());
  }
  Result<void> done;
  if (raises_first) done = raise_counter();
  if (done) done = commit_of(work);
  if (done) done = raise_counter();
  if (database_->has_failed()) database_.reset();
  return done;
}

Result<void> GuardedDatabase::commit_of(const std::function<Result<void>(Database&)>& work) {
  HEARSAY_CHECK_OK(database_->begin());
  const RollbackUnlessCommitted guard(*database_);
  HEARSAY_TRY(const LedgerRow before, read_ledger_row(*database_));
  HEARSAY_CHECK_OK(work(*database_));
  HEARSAY_TRY(const LedgerRow after, read_ledger_row(*database_));
  raised_ = raised_ && after.generation == before.generation;
  return database_->commit();
}

Result<void> GuardedDatabase::raise_counter() {
  if (counter_ == nullptr || raised_) return {};
  HEARSAY_TRY(const LedgerRow row, read_ledger_row(*database_));
  HEARSAY_CHECK_OK(counter_->raise(static_cast<std::uint64_t>(row.generation)));
  raised_ = true;
  return {};
}

}  // namespace hearsay::sdk
