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
// This does not protect the aggregator: programs other than browsers can send what they like. There is no wildcard, so
// that each origin is allowed on purpose.
class AllowedOrigins {
 public:
  AllowedOrigins() = default;

  // Takes origins as browsers write them, such as "https://app.example". A port is given only if it is not the default
  // port of the scheme. http is accepted only for localhost, 127.0.0.1 and [::1], because a network can change any
  // other http page. Errors: kInvalidArgument (also for "*", "null", a path, upper case, the default port).
  static Result<AllowedOrigins> parse(const std::vector<std::string>& origins);

  const std::vector<std::string>& list() const { return origins_; }

  // Returns the answer to a preflight, the request OPTIONS with which a browser asks whether a page may call a path.
  // Returns nothing for any other request, or if the origin may not call the path.
  std::optional<http::HttpResponse> preflight(const http::HttpRequest& request) const;

  // Adds the header fields that let a page of an allowed origin read the answer. Does nothing for paths that pages may
  // not call.
  void add_fields(const http::HttpRequest& request, http::HttpResponse& response) const;

 private:
  bool allows(std::string_view origin) const;
  std::vector<std::string> origins_;
};

}  // namespace hearsay::api
