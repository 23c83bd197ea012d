// The database behind a store: which server it is, and connections to it that are checked before they are used.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "aggregator/store/postgres/connection.h"
#include "aggregator/store/postgres/postgres.h"

namespace hearsay::store::postgres {

// Thread-safe.
class Database {
 public:
  // A connection in use; goes back when the lease ends, unless it is broken.
  class Lease {
   public:
    Lease(Database& database, std::unique_ptr<Connection> connection)
        : database_(&database), connection_(std::move(connection)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_) database_->give_back(std::move(connection_));
    }
    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }

   private:
    Database* database_;
    std::unique_ptr<Connection> connection_;
  };

  // Checks the URI, connects, and checks server, schema and clock. `clock` must outlive the object.
  static Result<std::unique_ptr<Database>> open(const Options& options, Clock& clock);
  // Connects to a server that may have no schema yet.
  static Result<std::unique_ptr<Connection>> connect_to_migrate(const Options& options);

  // A new connection to the same store, on a server that may be written to, if the store is not read-only. Errors:
  // kStoreFailed.
  Result<std::unique_ptr<Connection>> connect();
  // Whether a connection made later found a higher timeline: this one leads to a former primary, and is not used.
  bool is_former(const Connection& connection) const;
  // For everything but appends.
  Result<Lease> lease();

  // The store's identity, see format.md.
  Bytes16 identity() const {
    const std::lock_guard lock(mutex_);
    return *identity_;
  }
  // By how many seconds the clocks differ, now. Errors: kStoreFailed.
  Result<UnixSeconds> clock_difference();
  // The database's time.
  static Result<UnixSeconds> time(Connection& connection);

 private:
  Database(const Options& options, Clock& clock) : options_(options), clock_(clock) {}
  std::unique_ptr<Connection> take_idle();  // null: there is none
  void drop_idle();
  void give_back(std::unique_ptr<Connection> connection);
  // Errors: kStoreFailed (a standby, read-only, lossy, a former primary, another store).
  Result<void> check(Connection& connection);

  const Options options_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::optional<Bytes16> identity_;  // of the store; nothing before the first connection
  std::int64_t timeline_ = 0;        // the highest seen
};

Error clocks_differ(UnixSeconds difference);

}  // namespace hearsay::store::postgres
