#include "aggregator/daemon/operator_port.h"

#include "aggregator/http/problem.h"

namespace hearsay::daemon {
namespace {

http::HttpResponse json(unsigned status, const Json& body) { return {status, "application/json", body.dump(), {}}; }

http::HttpResponse readiness(const OperatorView& view) {
  const auto reasons = view.reasons();
  return json(reasons.empty() ? 200 : 503,
              {{"ready", reasons.empty()}, {"reasons", reasons}, {"warnings", view.warnings()}});
}

http::HttpResponse show_level(const OperatorView& view) {
  return json(200, {{"log_level", log_level_name(view.log.level())}});
}

http::HttpResponse change_level(const OperatorView& view, std::string_view body) {
  while (!body.empty() && (body.back() == '\n' || body.back() == '\r')) body.remove_suffix(1);
  const auto level = parse_log_level(body);
  if (!level)
    return http::make_problem({ErrorCode::kInvalidArgument, "the body must be debug, info, warn or error"}, 400);
  view.log.set_level(*level);
  view.log.write(*level, "log_level_changed", {{"log_level", log_level_name(*level)}});  // shows at every level
  return show_level(view);
}

http::HttpResponse not_allowed(std::string_view allow) {
  http::HttpResponse response =
      http::make_problem({ErrorCode::kMethodNotAllowed, "this path does not allow the method"}, 405);
  response.headers.emplace_back("Allow", allow);
  return response;
}

}  // namespace

http::HttpResponse answer_operator(const OperatorView& view, std::string_view method, std::string_view path,
                                   std::string_view body) {
  const bool reads = method == "GET" || method == "HEAD";
  if (path == "/log-level") {
    if (method == "PUT") return change_level(view, body);
    return reads ? show_level(view) : not_allowed("GET, HEAD, PUT");
  }
  if (path != "/healthz" && path != "/readyz" && path != "/metrics") {
    return http::make_problem({ErrorCode::kNotFound, "this port has /healthz, /readyz, /metrics and /log-level"}, 404);
  }
  if (!reads) return not_allowed("GET, HEAD");
  if (path == "/metrics") return {200, std::string(metrics::kMetricsContentType), view.metrics.render(), {}};
  if (path == "/readyz") return readiness(view);
  return json(200, {{"status", "ok"}});  // the process lives
}

namespace {

class OperatorHandler final : public http::HttpHandler {
 public:
  explicit OperatorHandler(OperatorView view) : view_(std::move(view)) {}
  std::variant<http::HttpResponse, http::HandleRequest> admit(const http::HttpRequest&) override {
    return [this](http::HttpExchange exchange) {
      const http::HttpRequest& request = exchange.request();
      http::HttpResponse response = answer_operator(view_, request.method, request.path, request.body);
      std::move(exchange).respond(std::move(response));
    };
  }

 private:
  OperatorView view_;
};

}  // namespace

std::unique_ptr<http::HttpHandler> operator_handler(OperatorView view) {
  return std::make_unique<OperatorHandler>(std::move(view));
}

Result<std::unique_ptr<http::HttpServer>> start_operator_port(const Endpoint& endpoint, http::HttpHandler& handler) {
  http::HttpServerOptions options;
  options.address = endpoint.address;
  options.port = endpoint.port;
  options.max_body_bytes = 1024;
  options.max_connections = 64;
  return http::HttpServer::start(options, handler);
}

}  // namespace hearsay::daemon
