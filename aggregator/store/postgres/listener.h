// Learns from the database that another daemon has changed the tasks.
#pragma once

#include <memory>

#include "aggregator/store/postgres/database.h"
#include "aggregator/store/postgres/transactions.h"

namespace hearsay::store::postgres {

// A transaction that adds, closes or deletes a task runs this statement last, before its COMMIT.
inline constexpr Statement kTellListeners{"tell_listeners", "SELECT pg_notify('hearsay_tasks', '')"};

// Thread-safety: one thread at a time.
class Listener {
 public:
  explicit Listener(Database& database) : database_(database) {}

  // Returns true if tasks may have changed since the last call. Also returns true if the connection was lost or is new,
  // because changes may have been missed. Waits only to make a new connection.
  bool changed();

 private:
  Database& database_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace hearsay::store::postgres
