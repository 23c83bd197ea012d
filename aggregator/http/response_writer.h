// Writes the heads of responses as bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aggregator/http/message.h"
#include "hearsay/clock.h"

namespace hearsay::http {

struct ResponseFraming {
  bool tls = false;          // adds Strict-Transport-Security
  bool keep_alive = true;    // false adds "Connection: close"
  bool http_1_0 = false;     // with keep_alive, adds "Connection: keep-alive", which HTTP/1.0 needs
  bool head_method = false;  // leaves the body out, but states its length
};

// Appends status line and header fields to `out`. Returns the body that must follow, as a view into `response`; empty
// if `framing` or the status forbids a body. Writes the fields for framing and protection itself, and ignores fields
// with the same names in `response`. Returns nothing, and leaves `out` unchanged, if the status is not within 200..599
// or a field of `response` is not valid HTTP.
std::optional<std::string_view> write_head(const HttpResponse& response, const ResponseFraming& framing,
                                           std::string_view date, std::string& out);

// Returns a time as in "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7), independent of the locale.
std::string format_http_date(UnixSeconds time);

}  // namespace hearsay::http
