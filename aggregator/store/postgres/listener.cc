#include "aggregator/store/postgres/listener.h"

namespace hearsay::store::postgres {

bool Listener::changed() {
  if (!connection_) {
    auto connection = database_.connect();
    if (!connection || !(*connection)->execute("LISTEN hearsay_tasks")) return false;
    connection_ = *std::move(connection);
    return true;
  }
  if (PQconsumeInput(connection_->get()) != 1) {
    connection_.reset();
    return true;
  }
  bool any = false;
  while (PGnotify* const notification = PQnotifies(connection_->get())) {
    PQfreemem(notification);
    any = true;
  }
  return any;
}

}  // namespace hearsay::store::postgres
