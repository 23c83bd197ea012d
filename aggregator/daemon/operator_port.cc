#include "aggregator/daemon/operator_port.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cctype>

#include "aggregator/api/parameters.h"
#include "aggregator/http/problem.h"
#include "common/base/json_text.h"

namespace hearsay::daemon {
namespace {

// Ends the answer with a line feed, for people who call the port from a shell.
http::HttpResponse json(unsigned status, const Json& body) {
  return {status, "application/json", json_text(body) + '\n', {}};
}

http::HttpResponse readiness(const OperatorView& view) {
  const auto reasons = view.reasons();
  Json body{{"ready", reasons.empty()}, {"reasons", reasons}, {"warnings", view.warnings()}};
  if (const auto unavailable = view.unavailable(); !unavailable.empty()) body["unavailable"] = unavailable;
  return json(reasons.empty() ? 200 : 503, body);
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
  // The event has the new level, so that it is not filtered.
  view.log.write(*level, "log_level_changed", {{"log_level", log_level_name(*level)}});
  return show_level(view);
}

http::HttpResponse not_allowed(std::string_view allow) {
  http::HttpResponse response =
      http::make_problem({ErrorCode::kMethodNotAllowed, "this path does not allow the method"}, 405);
  response.headers.emplace_back("Allow", allow);
  return response;
}

// Returns a Host field without the port.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? host : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

bool equal_names(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool is_known_host(const OperatorView& view, std::string_view host) {
  if (host.empty()) return true;  // only requests of HTTP/1.0 may lack a Host, and browsers do not send such requests
  const std::string_view name = name_of(host);
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  if (!error || equal_names(name, "localhost")) return true;
  return std::any_of(view.hosts.begin(), view.hosts.end(),
                     [&](const std::string& known) { return equal_names(name, known); });
}

}  // namespace

http::HttpResponse answer_operator(const OperatorView& view, const http::HttpRequest& request) {
  const std::string_view method = request.method;
  const std::string_view path = request.path;
  if (!request.origin.empty()) {
    return http::make_problem(
        {ErrorCode::kForbidden, "this port answers no web page, and the request has an Origin header"}, 403);
  }
  if (!is_known_host(view, request.host)) {
    return http::make_problem(
        {ErrorCode::kForbidden, "the request's Host must be localhost, an IP address or a name in operator_hosts"},
        403);
  }
  if (const auto none = api::parse_parameters(request.query, {}); !none) return http::make_problem(none.error(), 400);
  const bool reads = method == "GET" || method == "HEAD";
  if (path == "/log-level") {
    if (method == "PUT") return change_level(view, request.body);
    return reads ? show_level(view) : not_allowed("GET, HEAD, PUT");
  }
  if (path != "/healthz" && path != "/readyz" && path != "/metrics") {
    return http::make_problem({ErrorCode::kNotFound, "this port has /healthz, /readyz, /metrics and /log-level"}, 404);
  }
  if (!reads) return not_allowed("GET, HEAD");
  if (path == "/metrics") return {200, std::string(metrics::kMetricsContentType), view.metrics.render(), {}};
  if (path == "/readyz") return readiness(view);
  return json(200, {{"status", "ok"}});  // the answer itself shows that the process lives
}

namespace {

class OperatorHandler final : public http::HttpHandler {
 public:
  explicit OperatorHandler(OperatorView view) : view_(std::move(view)) {}
  std::variant<http::HttpResponse, http::HandleRequest> admit(const http::HttpRequest&) override {
    return [this](http::HttpExchange exchange) {
      http::HttpResponse response = answer_operator(view_, exchange.request());
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
