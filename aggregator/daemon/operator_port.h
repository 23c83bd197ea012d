// The operator's plain port: /healthz, /readyz, /metrics and /log-level.
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

// What the port shows and changes. Called from the server's thread; must outlive the server.
struct OperatorView {
  metrics::MetricsRegistry& metrics;
  Log& log;
  std::function<std::vector<std::string_view>()> reasons;   // why the daemon is not ready, see readiness.h
  std::function<std::vector<std::string_view>()> warnings;  // what presses on it
  std::vector<std::string> hosts;                           // names that the port may be asked by, beside localhost
};

// Answers without asking who the caller is. Refuses the requests of web pages in an operator's browser: requests with
// an Origin, and requests whose Host is a name other than localhost and view.hosts, such as a page's own name that was
// made to lead here. A Host that is an address is taken.
http::HttpResponse answer_operator(const OperatorView& view, const http::HttpRequest& request);

std::unique_ptr<http::HttpHandler> operator_handler(OperatorView view);

// Serves until stopped.
Result<std::unique_ptr<http::HttpServer>> start_operator_port(const Endpoint& endpoint, http::HttpHandler& handler);

}  // namespace hearsay::daemon
