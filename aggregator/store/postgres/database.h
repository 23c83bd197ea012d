// The database behind a store. Makes connections, and checks before use that each connection leads to the right server.
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
  // A connection in use. When the lease ends, the connection goes back to the database object, unless it is broken.
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

  // Makes a new connection to this store. Unless the store is read-only, the server must accept writes. Errors:
  // kStoreFailed, kStoreCorrupt (the schema's version cannot be read).
  Result<std::unique_ptr<Connection>> connect();
  // Returns true if a later connection found a higher timeline, a number that grows with each fail-over. `connection`
  // then leads to a former primary and must not be used.
  bool is_former(const Connection& connection) const;
  // Lends a checked connection. Errors: those of connect().
  Result<Lease> lease();

  // Returns the store's identity, see format.md.
  Bytes16 identity() const {
    const std::lock_guard lock(mutex_);
    return *identity_;
  }
  // Returns by how many seconds the clocks of this machine and of the database differ. Errors: those of connect().
  Result<UnixSeconds> clock_difference();
  // Returns the database's time.
  static Result<UnixSeconds> time(Connection& connection);

 private:
  Database(const Options& options, Clock& clock) : options_(options), clock_(clock) {}
  std::unique_ptr<Connection> take_idle();  // null if there is none
  void drop_idle();
  void give_back(std::unique_ptr<Connection> connection);
  // Returns an error for a server that must not be used. Errors: kStoreFailed (a standby, read-only, lossy, a former
  // primary, another store, another version of the schema), kStoreCorrupt (the schema's version cannot be read).
  Result<void> check(Connection& connection);

  const Options options_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::optional<Bytes16> identity_;  // the store's identity; nothing before the first connection
  std::int64_t timeline_ = 0;        // the highest timeline that a connection found
};

Error clocks_differ(UnixSeconds difference);

}  // namespace hearsay::store::postgres
