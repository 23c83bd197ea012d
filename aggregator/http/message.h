// Requests and responses as the rest of the aggregator sees them: no sockets, no library types.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearsay::aggregator {

struct HttpRequest {
  std::string method;         // "GET", "POST", …; HEAD arrives as "GET", and the server leaves the body out
  std::string path;           // decoded path without the query string, begins with '/'
  std::string query;          // what follows '?', undecoded
  std::string content_type;   // media type, lower case, without parameters; empty if absent
  std::string accept;         // value of Accept; empty if absent
  std::string authorization;  // value of Authorization; empty if absent
  std::string body;
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  // further fields, e.g. Retry-After
};

// Answers one request, exactly once, from any thread, now or later. Copies share the one answer: calls after the first
// are ignored, and the client gets a 500 when all copies are gone without a call.
using Respond = std::function<void(HttpResponse)>;

// Called from the server's threads, several at a time; must not block. A request whose handler throws gets a 500.
using HttpHandler = std::function<void(HttpRequest, Respond)>;

}  // namespace hearsay::aggregator
