#include "aggregator/api/cross_origin.h"

#include <algorithm>
#include <charconv>

#include "aggregator/api/route.h"

namespace hearsay::api {
namespace {

// Returns the method with which web pages may call a path; empty if they may not call the path.
std::string_view method_for_pages(std::string_view path) {
  for (const std::string_view method : {"GET", "POST"}) {
    const auto found = route(method, path);
    if (found && (found->call == Call::kGetTask || found->call == Call::kPostReports)) return method;
  }
  return {};
}

bool is_port(std::string_view digits, std::string_view of_scheme) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return error == std::errc{} && end == digits.data() + digits.size() && port >= 1 && port <= 65'535 &&
         std::to_string(port) == digits && digits != of_scheme;
}

bool is_host(std::string_view host) {
  const bool address = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string_view allowed = address ? "0123456789abcdef:." : "0123456789abcdefghijklmnopqrstuvwxyz.-";
  const std::string_view text = address ? host.substr(1, host.size() - 2) : host;
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_loopback(std::string_view host) { return host == "localhost" || host == "127.0.0.1" || host == "[::1]"; }

bool is_origin(std::string_view text) {
  const bool secure = text.starts_with("https://");
  if (!secure && !text.starts_with("http://")) return false;
  const std::string_view authority = text.substr(secure ? 8 : 7);
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  const std::string_view host = has_port ? authority.substr(0, colon) : authority;
  if (has_port && !is_port(authority.substr(colon + 1), secure ? "443" : "80")) return false;
  return is_host(host) && (secure || is_loopback(host));
}

}  // namespace

Result<AllowedOrigins> AllowedOrigins::parse(const std::vector<std::string>& origins) {
  for (const std::string& origin : origins) {
    if (is_origin(origin)) continue;
    return Error{
        ErrorCode::kInvalidArgument,
        "'" + origin +
            "' must be one exact origin in small letters, like https://app.example or https://app.example:8443: "
            "no wildcard, not null, no path, not the scheme's own port; http only for localhost"};
  }
  AllowedOrigins allowed;
  allowed.origins_ = origins;
  return allowed;
}

bool AllowedOrigins::allows(std::string_view origin) const {
  return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

std::optional<http::HttpResponse> AllowedOrigins::preflight(const http::HttpRequest& request) const {
  if (request.method != "OPTIONS" || !allows(request.origin)) return std::nullopt;
  const std::string_view method = method_for_pages(request.path);
  if (method.empty()) return std::nullopt;
  http::HttpResponse response{204, "", "", {}, {}};
  response.headers.emplace_back("Access-Control-Allow-Methods", method);
  response.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
  response.headers.emplace_back("Access-Control-Max-Age", "600");
  return response;
}

void AllowedOrigins::add_fields(const http::HttpRequest& request, http::HttpResponse& response) const {
  if (origins_.empty() || method_for_pages(request.path).empty()) return;
  response.headers.emplace_back("Vary", "Origin");
  if (!allows(request.origin)) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", request.origin);
  // The SDK in the page reads `Date` for the ledger's clock, and `Retry-After` for the next attempt.
  response.headers.emplace_back("Access-Control-Expose-Headers", "Date, Retry-After");
}

}  // namespace hearsay::api
