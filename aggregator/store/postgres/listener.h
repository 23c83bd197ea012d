// Learns from the database that another daemon has changed the tasks.
#pragma once

#include <memory>

#include "aggregator/store/postgres/database.h"
#include "aggregator/store/postgres/transactions.h"

namespace hearsay::store::postgres {

// The last statement of a transaction that changes tasks, before its COMMIT.
inline constexpr Statement kTellListeners{"tell_listeners", "SELECT pg_notify('hearsay_tasks', '')"};

// One thread at a time.
class Listener {
 public:
  explicit Listener(Database& database) : database_(database) {}

  // Returns true if tasks may have changed since the last call; also after a time without a connection. Does not wait,
  // except for a new connection if the last one is lost.
  bool changed();

 private:
  Database& database_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace hearsay::store::postgres
