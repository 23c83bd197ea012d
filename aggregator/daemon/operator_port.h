// The operator's plain port: /healthz and /metrics.
#pragma once

#include <functional>
#include <memory>

#include "aggregator/daemon/config.h"
#include "aggregator/http/server.h"
#include "aggregator/metrics/metrics.h"

namespace hearsay::aggregator {

// Serves until stopped. `healthy` is called from the server's thread; it and `metrics` must outlive the server.
Result<std::unique_ptr<HttpServer>> start_operator_port(const Endpoint& endpoint, MetricsRegistry& metrics,
                                                        std::function<bool()> healthy);

}  // namespace hearsay::aggregator
