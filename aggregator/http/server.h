// An HTTP/1.1 server on Boost.Asio and Beast, over TLS 1.3/1.2 or plain. Knows nothing of tasks and reports.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/http/address_range.h"
#include "aggregator/http/message.h"
#include "hearsay/clock.h"
#include "hearsay/result.h"

namespace hearsay::http {

// PEM files. The certificate file holds the chain, leaf first. The key must not be encrypted.
struct TlsFiles {
  std::string certificate;
  std::string private_key;
  // If not empty, clients must show a certificate that one of these authorities signed. An authority need not be a
  // root.
  std::string client_ca{};
};

// The certificate that new connections get.
struct ServedCertificate {
  std::string file;
  // The certificate is valid from not_before to not_after, both included. If the file holds the issuer's certificate,
  // the issuer's certificate is valid in this time, too.
  UnixSeconds not_before = 0;
  UnixSeconds not_after = 0;
  // Warnings for the operator: sentences that name the file.
  std::vector<std::string> doubts;
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;         // 0: any free port, see HttpServer::port()
  std::optional<TlsFiles> tls{};  // if absent, the server speaks plain HTTP, for a port on loopback
  unsigned threads = 1;           // at least 1
  std::size_t max_body_bytes = 8U << 20U;
  std::size_t max_header_bytes = 8U << 10U;
  std::size_t max_connections = 10'000;              // the server closes further connections at once
  std::size_t max_connections_per_address = 10'000;  // an IPv6 address stands for its /64
  // The addresses of balancers. A balancer begins each connection with a PROXY protocol header, version 2, that names
  // the client. The limits by address then use the named client. The header must come within handshake_timeout. Without
  // a valid header, the server closes the connection. A header from any other address is a malformed request.
  AddressRanges proxy_protocol_from{};
  // Addresses that many clients share, such as the addresses of balancers that send no header. These addresses have no
  // limit by address.
  AddressRanges shared_addresses{};
  // Limit on the memory that clients can make the server hold: heads and bodies until the request is answered, and
  // answers until the kernel has taken them. Heads, bodies and answers up to 4 KiB do not count, and neither does
  // HttpResponse::shared_body. A request beyond the limit gets 503 before it is handled. MemoryBudget describes further
  // limits within this limit.
  std::size_t max_buffered_bytes = 256U << 20U;
  std::size_t max_buffered_bytes_per_address = 32U << 20U;  // a value below max_body_bytes counts as max_body_bytes
  // The time for the TLS handshake. A PROXY protocol header before the handshake has as much time of its own.
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds first_byte_timeout{15'000};  // from the handshake to the first byte of a request
  std::chrono::milliseconds header_timeout{15'000};      // from a request's first byte to the end of its head
  // The time for every 64 KiB of a body, and for the last part of the body.
  std::chrono::milliseconds body_timeout{5'000};
  std::chrono::milliseconds idle_timeout{60'000};   // between requests
  std::chrono::milliseconds write_timeout{15'000};  // for every 64 KiB of a response
};

// A number that several threads increment. A copy has the value at the time of copying.
class RelaxedCounter {
 public:
  RelaxedCounter() = default;
  RelaxedCounter(const RelaxedCounter& other) : value_(static_cast<std::uint64_t>(other)) {}
  RelaxedCounter& operator=(const RelaxedCounter&) = delete;

  void increment() { value_.fetch_add(1, std::memory_order_relaxed); }
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

// Counters since the server's start, and figures of the present moment. The values in a copy are not all from the same
// moment.
struct HttpServerCounters {
  RelaxedCounter connections_accepted;
  RelaxedCounter connections_refused;              // over max_connections
  RelaxedCounter connections_refused_per_address;  // over max_connections_per_address
  // Connections from proxy_protocol_from that sent no valid header in time.
  RelaxedCounter proxy_headers_refused;
  RelaxedCounter accept_failures;  // usually because descriptors or memory ran out
  RelaxedCounter handshakes;       // completed TLS handshakes
  // Completed TLS handshakes that resumed a session.
  RelaxedCounter handshakes_resumed;
  RelaxedCounter handshakes_failed;
  RelaxedCounter requests;           // handed to the handler
  RelaxedCounter requests_refused;   // refused by the server itself, for example malformed or too slow
  RelaxedCounter requests_rejected;  // refused by the handler's admit()
  RelaxedCounter timeouts;           // connections that ended because they were too slow or idle
  // How many of requests_refused were refused because of max_buffered_bytes.
  std::uint64_t requests_overload = 0;
  // How many of requests_refused were refused because of max_buffered_bytes_per_address.
  std::uint64_t requests_overload_per_address = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t buffered_body_bytes = 0;
  std::uint64_t buffered_answer_bytes = 0;
  double memory_pressure = 0;  // see MemoryBudget::pressure()
};

// Learns how long the stages of a request took. Called on the server's threads, several at a time; must not block.
class HttpObserver {
 public:
  virtual ~HttpObserver() = default;
  virtual void handshaken(std::chrono::nanoseconds took) = 0;  // from accept() to the end of the TLS handshake
  virtual void received(std::chrono::nanoseconds took) = 0;    // from a request's first byte to its last
  virtual void handled(std::chrono::nanoseconds took) = 0;     // from the last byte until the handler's answer came
  virtual void answered(std::chrono::nanoseconds took) = 0;  // from the handler's answer until the kernel had taken it
};

class HttpServer {
 public:
  // Binds, listens and serves until stop(). The server itself refuses some requests, with a problem document (see
  // make_problem()): 400 for malformed HTTP, 413 for a body that is too large, 431 for a head that is too large, 408
  // for a request that is too slow, 503 if the memory budget has no room. `handler` and `observer` (may be null) must
  // outlive the server. Errors: kInvalidArgument (options), kIo (address, certificate, key; the message names the
  // file).
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, HttpHandler& handler,
                                                   HttpObserver* observer = nullptr);

  virtual ~HttpServer() = default;
  virtual std::uint16_t port() const = 0;
  // Reads the certificate, the key and the clients' authorities again, for new connections. After an error the old
  // certificate, key and authorities stay in use. Errors: as start(), and kIo if the certificate is not valid at `now`.
  // Thread-safe.
  virtual Result<void> reload_certificate(UnixSeconds now) = 0;
  // Returns the certificate in use; empty without TLS. The certificate may be expired, because start() does not check
  // times. Thread-safe.
  virtual ServedCertificate certificate() const = 0;
  // Stops accepting, lets requests in progress finish for up to `drain`, closes everything, and joins the threads.
  // May be called again. Thread-safe. Do not call this from a handler: stop() waits for the handler's thread.
  virtual void stop(std::chrono::milliseconds drain) = 0;
  virtual HttpServerCounters counters() const = 0;
};

}  // namespace hearsay::http
