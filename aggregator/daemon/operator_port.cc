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

}  // namespace

Result<std::unique_ptr<HttpServer>> start_operator_port(const Endpoint& endpoint, MetricsRegistry& metrics,
                                                        std::function<bool()> healthy) {
  HttpServerOptions options;
  options.address = endpoint.address;
  options.port = endpoint.port;
  options.max_body_bytes = 1024;
  options.max_connections = 64;
  return HttpServer::start(
      options, [&metrics, healthy = std::move(healthy)](const HttpRequest& request, const Respond& respond) {
        respond(answer(request, metrics, healthy));
      });
}

}  // namespace hearsay::aggregator
