// Runs the aggregator: store, ingest, API and servers.
#pragma once

#include <memory>

#include "aggregator/daemon/config.h"
#include "aggregator/daemon/log.h"
#include "hearsay/clock.h"

namespace hearsay::daemon {

class Daemon {
 public:
  // Opens the store and begins to serve. `clock` and, if given, `log` must outlive the daemon. Errors: those of the
  // parts; the message says which part failed and why. Throws std::system_error or std::bad_alloc if the system has no
  // thread or memory left. The process should then end at once, without unwinding
  // (console::end_on_uncaught_exception()).
  static Result<std::unique_ptr<Daemon>> start(const DaemonConfig& config, Clock& clock, Log* log = nullptr);
  virtual ~Daemon() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::uint16_t operator_port() const = 0;
  // Reads the certificate again, and logs the result. On an error the old certificate stays in use.
  virtual Result<void> reload_certificate() = 0;
  // Replaces the tokens. The new tokens hold for all later requests, also on open connections.
  virtual void replace_tokens(std::vector<api::TokenHash> tokens, api::Uploads uploads) = 0;
  // Ends estimates, exports and a backup at once. Lets other requests finish within the time DaemonConfig::drain, and
  // commits the reports that were received. May be called again. The destructor also closes the store.
  virtual void stop() = 0;
};

}  // namespace hearsay::daemon
