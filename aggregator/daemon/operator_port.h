// The operator's plain port: /healthz and /metrics.
#pragma once

#include <functional>
#include <memory>

#include "aggregator/daemon/config.h"
#include "aggregator/http/server.h"
#include "aggregator/metrics/metrics.h"

namespace hearsay::aggregator {

// `metrics` must outlive the handler; `healthy` is called from the server's threads.
std::unique_ptr<HttpHandler> operator_handler(MetricsRegistry& metrics, std::function<bool()> healthy);

// Serves until stopped.
Result<std::unique_ptr<HttpServer>> start_operator_port(const Endpoint& endpoint, HttpHandler& handler);

}  // namespace hearsay::aggregator
