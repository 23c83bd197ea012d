// Writes responses as bytes.
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
  bool http_1_0 = false;     // with keep_alive adds "Connection: keep-alive", which HTTP/1.0 needs to hear
  bool head_method = false;  // no body, though its length is stated
};

// Writes status line and fields to the end of `out`. Returns the body that follows, a view into `response`; empty if
// `framing` or the status forbids a body. The server writes the fields that frame and protect the response, and leaves
// out handlers' fields of those names. Returns nothing, with `out` unchanged, if the status is not within 200..599 or a
// handler's field is no valid HTTP.
std::optional<std::string_view> write_head(const HttpResponse& response, const ResponseFraming& framing,
                                           std::string_view date, std::string& out);

// Returns "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7), whatever the locale.
std::string format_http_date(UnixSeconds time);

}  // namespace hearsay::http
