// How a client reaches its aggregator. An app can bring a transport of its own, for example over the platform's HTTP
// library.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hearsay/cancellation.h"
#include "hearsay/clock.h"
#include "hearsay/options.h"
#include "hearsay/result.h"

namespace hearsay::sdk {

struct TransportResponse {
  unsigned status = 0;                              // HTTP status
  std::optional<std::chrono::seconds> retry_after;  // from the header Retry-After, if there is one
  std::optional<UnixSeconds> date;                  // the server's time, from the header Date, if there is one
  std::string body;
};

// The limits that end an exchange without an answer.
struct ExchangeLimits {
  std::chrono::milliseconds timeout;  // from the look-up of the server's name to the answer's last byte
  Cancellation* cancellation = nullptr;
};

// Sends requests to one aggregator and returns the answers.
//
// An exchange returns once its timeout is over, and soon after another thread calls limits.cancellation->request(). An
// exchange that is cancelled before it begins sends nothing. A cancelled exchange does not affect the next one.
//
// An error of get() or post() means that no complete answer arrived. The aggregator may or may not have acted on the
// request. Errors: kConnectionFailed, kTimedOut, kTlsFailed (the server's certificate is not accepted, or is not for
// this host), kCancelled.
//
// Thread-safety: any number of threads may use a transport at once, so several clients may share a transport.
class Transport {
 public:
  virtual ~Transport() = default;

  // Performs GET on `path`.
  virtual Result<TransportResponse> get(std::string_view path, const ExchangeLimits& limits) = 0;

  // Performs POST on `path` with a body of the media type `content_type`.
  virtual Result<TransportResponse> post(std::string_view path, std::string_view content_type,
                                         std::span<const std::uint8_t> body, const ExchangeLimits& limits) = 0;
};

// Makes a transport that speaks HTTPS and keeps one connection open between exchanges.
//
// The transport opens the connection on first use, and again if the connection is lost. TLS is 1.2 or later. The
// transport verifies the server's certificate chain and host name. Every post carries `options.upload_token`, if there
// is one. Every post also asks for a short answer ("Prefer: return=minimal"), since the client only needs to know which
// reports were refused. An answer may have up to 8 MiB, headers included. An exchange takes at most the shorter of
// `options.timeout` and the timeout in its limits. Each of several simultaneous exchanges has its own connection.
//
// Errors: kIo (`ca_file`, `client_certificate` or `client_key` is not readable or holds nothing usable, or the key is
// encrypted or belongs to another certificate; the message names the file), kInvalidArgument. Errors of exchanges,
// besides those of Transport: kIo (one of these files has become unusable).
Result<std::unique_ptr<Transport>> make_https_transport(const ServerOptions& options);

}  // namespace hearsay::sdk
