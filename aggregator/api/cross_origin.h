// Says which web pages may report: cross-origin resource sharing (CORS, in the Fetch standard) for the calls of
// clients.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/http/message.h"
#include "hearsay/result.h"

namespace hearsay::api {

// The origins whose pages may fetch a task and post reports. A browser lets a page read an answer from another origin
// only if the answer names the page's origin. The default names none.
//
// This does not protect the aggregator: programs other than browsers can send what they like. So there is no wildcard:
// each origin is named on purpose.
class AllowedOrigins {
 public:
  AllowedOrigins() = default;

  // Takes origins as browsers write them: "https://app.example", with a port only if the port is not the scheme's own.
  // http is accepted only for localhost, 127.0.0.1 and [::1], because a network can change any other http page. Errors:
  // kInvalidArgument (also for "*", "null", a path, upper case, the scheme's own port).
  static Result<AllowedOrigins> parse(const std::vector<std::string>& origins);

  const std::vector<std::string>& list() const { return origins_; }

  // Returns the answer to a preflight: OPTIONS from an allowed origin, for a path that clients use. Returns nothing for
  // any other request.
  std::optional<http::HttpResponse> preflight(const http::HttpRequest& request) const;

  // Adds the header fields with which a page of an allowed origin may read the answer. Only for the paths that clients
  // use.
  void add_fields(const http::HttpRequest& request, http::HttpResponse& response) const;

 private:
  bool allows(std::string_view origin) const;
  std::vector<std::string> origins_;
};

}  // namespace hearsay::api
