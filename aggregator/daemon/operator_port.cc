#include "aggregator/daemon/operator_port.h"

#include "aggregator/http/problem.h"

namespace hearsay::aggregator {
namespace {

HttpResponse answer(const HttpRequest& request, MetricsRegistry& metrics, const std::function<bool()>& healthy) {
  if (request.path != "/healthz" && request.path != "/metrics") {
    return make_problem({ErrorCode::kNotFound, "this port has /healthz and /metrics"});
  }
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse response = make_problem({ErrorCode::kMethodNotAllowed, "this path is only read"});
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (request.path == "/metrics") return {200, std::string(kMetricsContentType), metrics.render(), {}};
  if (healthy()) return {200, "application/json", R"({"status":"ok"})", {}};
  return {503, "application/json", R"({"status":"the store does not take reports"})", {}};
}

class OperatorHandler final : public HttpHandler {
 public:
  OperatorHandler(MetricsRegistry& metrics, std::function<bool()> healthy)
      : metrics_(metrics), healthy_(std::move(healthy)) {}
  std::optional<HttpResponse> admit(const HttpRequest&) override { return std::nullopt; }
  void handle(HttpExchange exchange) override {
    HttpResponse response = answer(exchange.request(), metrics_, healthy_);
    std::move(exchange).respond(std::move(response));
  }

 private:
  MetricsRegistry& metrics_;
  std::function<bool()> healthy_;
};

}  // namespace

std::unique_ptr<HttpHandler> operator_handler(MetricsRegistry& metrics, std::function<bool()> healthy) {
  return std::make_unique<OperatorHandler>(metrics, std::move(healthy));
}

Result<std::unique_ptr<HttpServer>> start_operator_port(const Endpoint& endpoint, HttpHandler& handler) {
  HttpServerOptions options;
  options.address = endpoint.address;
  options.port = endpoint.port;
  options.max_body_bytes = 1024;
  options.max_connections = 64;
  return HttpServer::start(options, handler);
}

}  // namespace hearsay::aggregator
