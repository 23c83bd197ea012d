// How a client reaches its aggregator: the seam between deciding what to send and sending it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hearsay/options.h"
#include "hearsay/result.h"

namespace hearsay::sdk {

struct TransportResponse {
  unsigned status = 0;                              // HTTP status
  std::optional<std::chrono::seconds> retry_after;  // of a refusal, if the server names one
  std::string body;
};

// One exchange at a time, from one thread at a time. An error means that no complete response was received; the server
// may or may not have acted on the request. Errors: kConnectionFailed, kTimedOut, kTlsFailed (certificate or host name
// not accepted).
class Transport {
 public:
  virtual ~Transport() = default;
  virtual Result<TransportResponse> get(std::string_view path) = 0;
  virtual Result<TransportResponse> post(std::string_view path, std::string_view content_type,
                                         std::span<const std::uint8_t> body) = 0;
};

// HTTPS over one kept-alive connection that is opened on first use and again when it was lost. TLS 1.2 or later; the
// server's certificate chain and host name are verified. Posts carry the upload token, if there is one, and
// "Prefer: return=minimal", since only the status of an accepted report matters. Errors: kIo (ca_file, the client's
// certificate and key), kInvalidArgument.
Result<std::unique_ptr<Transport>> make_https_transport(const ServerOptions& options);

}  // namespace hearsay::sdk
