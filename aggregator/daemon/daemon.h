// The aggregator put together: store, ingest, API and servers.
#pragma once

#include <memory>

#include "aggregator/daemon/config.h"
#include "aggregator/daemon/log.h"
#include "hearsay/clock.h"

namespace hearsay::daemon {

class Daemon {
 public:
  // Opens the store and serves. `clock` and, if given, `log` must outlive the daemon. Errors: those of the parts; the
  // message says which part and why.
  static Result<std::unique_ptr<Daemon>> start(const DaemonConfig& config, Clock& clock, Log* log = nullptr);
  virtual ~Daemon() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::uint16_t operator_port() const = 0;
  virtual Result<void> reload_certificate() = 0;
  // Lets requests in progress finish, commits what was taken in, closes the store. Idempotent.
  virtual void stop() = 0;
};

}  // namespace hearsay::daemon
