// Exchanges HTTPS messages with one server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/https/handles.h"
#include "hearsay/cancellation.h"
#include "hearsay/clock.h"
#include "hearsay/result.h"

namespace hearsay::https {

class Exchange;

struct Server {
  // "https://host" or "https://host:port". exchange() appends the path to this URL.
  std::string url;
  std::string ca_file = {};                   // PEM file of trusted authorities; empty: the system's authorities
  std::string certificate = {};               // PEM file of the client's certificate; empty: no certificate
  std::string private_key = {};               // PEM file of the certificate's key, not encrypted
  std::chrono::milliseconds timeout{10'000};  // for an exchange, from the look-up of the name to the last byte
  std::size_t max_answer_bytes = 8U << 20U;   // the limit on an answer's body and all headers together
};

// A request. exchange() sends nothing and returns kInvalidArgument if a header holds a control character other than a
// tab. exchange() also does so if the path is not absolute, has a segment "." or "..", or holds `#`, a backslash, or
// anything but visible ASCII characters.
struct Request {
  std::string_view method;           // "GET"
  std::string_view path;             // "/v1/tasks"
  std::vector<std::string> headers;  // "Name: value"
  std::optional<std::span<const std::uint8_t>> body;
  // Applies if this timeout is shorter than Server::timeout.
  std::chrono::milliseconds timeout = std::chrono::milliseconds::max();
  Cancellation* cancellation = nullptr;  // lets another thread end the exchange
};

struct Answer {
  unsigned status = 0;
  // The wait that the header Retry-After asks for, if the answer has a valid header; see Client.
  std::optional<std::chrono::seconds> retry_after;
  std::optional<UnixSeconds> date;  // the header Date, if the answer has one
  std::string body;
};

// Exchanges messages with one server, and keeps the connection open after an exchange. If the server has closed the
// connection meanwhile, the client opens another one and sends the request again. So a request must be safe to send
// twice.
//
// TLS is 1.2 or later, and the client verifies the server's certificate chain and host name. The client speaks
// HTTP/1.1, follows no redirect, uses no proxy, raises no signal and asks no person for a passphrase.
//
// If Retry-After names a date, the client counts from the answer's own Date, not from the device's clock.
//
// Thread-safety: one thread at a time.
class Client {
 public:
  // Checks the options; opens no connection. Errors: kInvalidArgument (not an https URL), kIo (a file is not readable,
  // holds no usable certificate or key, or the key is encrypted or belongs to another certificate), kInternal (libcurl
  // does not start).
  static Result<std::unique_ptr<Client>> create(const Server& server);
  ~Client();

  // Sends the request and returns the final answer, which may have any status. Skips answers of status 1xx. Returns
  // soon after another thread has called request.cancellation->request(). Errors: kTimedOut, kTlsFailed (the server's
  // certificate is not accepted; the message says why), kIo (a file is no longer usable), kCancelled, kConnectionFailed
  // (any other failure of the connection, also an answer that is too long), kInternal (libcurl fails).
  Result<Answer> exchange(const Request& request);

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  explicit Client(const Server& server, bool literal) : server_(server), literal_(literal) {}
  Result<void> open();
  Result<Answer> attempt(const Request& request, Deadline deadline, bool& again);
  std::optional<Error> drive(Deadline deadline, const Cancellation* cancellation);

  const Server server_;
  const bool literal_;  // the host is an address, which needs no look-up
  // Guards multi_: a cancellation uses multi_ while exchange() may replace multi_.
  std::mutex mutex_;
  Multi multi_;
};

}  // namespace hearsay::https
