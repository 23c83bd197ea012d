// Hears from the database that a daemon has changed the tasks.
#pragma once

#include <memory>

#include "aggregator/store/postgres/database.h"
#include "aggregator/store/postgres/transactions.h"

namespace hearsay::store::postgres {

// Ends a transaction that changes tasks, before its COMMIT.
inline constexpr Statement kTellListeners{"tell_listeners", "SELECT pg_notify('hearsay_tasks', '')"};

// One thread at a time.
class Listener {
 public:
  explicit Listener(Database& database) : database_(database) {}

  // Whether tasks may have changed since the last call; also true after a time without a connection. Waits for nothing
  // but for a new connection where the last one is lost.
  bool changed();

 private:
  Database& database_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace hearsay::store::postgres
