// The operator's port, without TLS: /healthz, /readyz, /metrics and /log-level.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/daemon/config.h"
#include "aggregator/daemon/log.h"
#include "aggregator/http/server.h"
#include "aggregator/metrics/metrics.h"

namespace hearsay::daemon {

// What the port shows and changes. The server's thread calls the functions. All members must outlive the server.
struct OperatorView {
  metrics::MetricsRegistry& metrics;
  Log& log;
  std::function<std::vector<std::string_view>()> reasons;   // why the daemon is not ready, see readiness.h
  std::function<std::vector<std::string_view>()> warnings;  // warnings_of(), and database_unavailable
  std::function<std::vector<std::string>()> unavailable;    // see store::StoreStatistics
  std::vector<std::string> hosts;                           // accepted names in the Host field, beside localhost
};

// Answers a request of any caller, without a token. Refuses requests that web pages make in an operator's browser. Such
// requests have an Origin field, or a Host that names the page's own site: the owner of the site can make this name
// lead to the port. So a Host must be an address, localhost or one of view.hosts.
http::HttpResponse answer_operator(const OperatorView& view, const http::HttpRequest& request);

std::unique_ptr<http::HttpHandler> operator_handler(OperatorView view);

// Starts the port. The port serves until the returned server is stopped.
Result<std::unique_ptr<http::HttpServer>> start_operator_port(const Endpoint& endpoint, http::HttpHandler& handler);

}  // namespace hearsay::daemon
