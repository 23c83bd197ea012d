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

// PEM files. The certificate file holds the chain, leaf first. The key is not encrypted.
struct TlsFiles {
  std::string certificate;
  std::string private_key;
  // Not empty: clients must show a certificate that one of these authorities signed. An authority need not be a root.
  std::string client_ca{};
};

// What is known of the certificate that new connections get.
struct ServedCertificate {
  std::string file;
  // Valid from then until then, both included: the server's own certificate, and its issuer's if that is in the file.
  UnixSeconds not_before = 0;
  UnixSeconds not_after = 0;
  std::vector<std::string> doubts;  // what clients or the operator may dislike; a sentence each, which names the file
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;         // 0: any free port, see HttpServer::port()
  std::optional<TlsFiles> tls{};  // absent: plain HTTP, for the operator's loopback port
  unsigned threads = 1;           // at least 1
  std::size_t max_body_bytes = 8U << 20U;
  std::size_t max_header_bytes = 8U << 10U;
  std::size_t max_connections = 10'000;              // further ones are closed at once
  std::size_t max_connections_per_address = 10'000;  // an IPv6 address stands for its /64
  // Balancers that name the client of each connection by a PROXY protocol header, version 2, before anything else. A
  // connection from there without a valid header ends without an answer; the header has handshake_timeout. The limits
  // by address go by the client that the header names. From elsewhere a header is nonsense, and refused as such.
  AddressRanges proxy_protocol_from{};
  // Addresses that stand for many clients, such as those of balancers that send no header: no limit by address.
  AddressRanges shared_addresses{};
  // Memory for what clients make the server hold: bodies, as their bytes arrive and while they are handled, and
  // answers, until the kernel has taken them. Bodies and answers up to 4 KiB, and shared bodies of answers, do not
  // count. A request beyond it is refused with 503, before it is handled. See MemoryBudget for the limits within it.
  std::size_t max_buffered_bytes = 256U << 20U;
  std::size_t max_buffered_bytes_per_address = 32U << 20U;  // at least max_body_bytes counts
  std::chrono::milliseconds handshake_timeout{10'000};      // and before it for the PROXY protocol header
  std::chrono::milliseconds first_byte_timeout{15'000};     // from the handshake to the first request
  std::chrono::milliseconds header_timeout{15'000};         // from a request's first byte to the end of its head
  std::chrono::milliseconds body_timeout{5'000};            // for every 64 KiB of a body, begun or whole
  std::chrono::milliseconds idle_timeout{60'000};           // between requests
  std::chrono::milliseconds write_timeout{15'000};          // for every 64 KiB of a response
};

// A number that threads count up. A copy holds the value of that moment.
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

// What the server itself counted since it started. Each counter is right by itself; those of a copy are only nearly of
// one moment.
struct HttpServerCounters {
  RelaxedCounter connections_accepted;
  RelaxedCounter connections_refused;              // over max_connections
  RelaxedCounter connections_refused_per_address;  // over max_connections_per_address
  RelaxedCounter proxy_headers_refused;            // none, too slow or not valid, from proxy_protocol_from
  RelaxedCounter accept_failures;                  // for want of descriptors or memory, as a rule
  RelaxedCounter handshakes;                       // completed TLS handshakes
  RelaxedCounter handshakes_resumed;               // those of them that resumed a session
  RelaxedCounter handshakes_failed;
  RelaxedCounter requests;                          // handed to the handler
  RelaxedCounter requests_refused;                  // answered by the server itself: malformed, too large, too slow
  RelaxedCounter requests_rejected;                 // by the handler's admit()
  RelaxedCounter timeouts;                          // connections cut for being too slow, idle ones included
  std::uint64_t requests_overload = 0;              // those of requests_refused over max_buffered_bytes
  std::uint64_t requests_overload_per_address = 0;  // … over max_buffered_bytes_per_address
  std::uint64_t connections_open = 0;
  std::uint64_t buffered_body_bytes = 0;
  std::uint64_t buffered_answer_bytes = 0;
  double memory_pressure = 0;  // see MemoryBudget::pressure()
};

// How long a request's stages took. Called from the server's threads, several at a time; must not block.
class HttpObserver {
 public:
  virtual ~HttpObserver() = default;
  virtual void handshaken(std::chrono::nanoseconds took) = 0;  // from the accept on
  virtual void received(std::chrono::nanoseconds took) = 0;    // from a request's first byte to its last
  virtual void handled(std::chrono::nanoseconds took) = 0;     // until its answer came
  virtual void answered(std::chrono::nanoseconds took) = 0;    // until the answer was with the kernel
};

class HttpServer {
 public:
  // Binds, listens and serves until stop(). Requests that never reach the handler (malformed HTTP 400, body too large
  // 413, header too large 431, too slow 408) get an RFC 9457 problem document whose "type" ends in the error's name
  // (see make_problem in aggregator/http/problem.h). `handler` and `observer` (may be null) outlive the server. Errors:
  // kInvalidArgument (options), kIo (address, certificate, key; the message names the file).
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, HttpHandler& handler,
                                                   HttpObserver* observer = nullptr);

  virtual ~HttpServer() = default;
  virtual std::uint16_t port() const = 0;
  // Reads the certificate, the key and the clients' authorities again for new connections. Thread-safe. Errors: as
  // start(), and kIo if the certificate is not valid at `now`; the old files then stay in use.
  virtual Result<void> reload_certificate(UnixSeconds now) = 0;
  // The certificate in use; without TLS nothing is set. start() takes a certificate whatever its time. Thread-safe.
  virtual ServedCertificate certificate() const = 0;
  // Stops accepting, lets requests in progress finish for up to `drain`, closes everything, joins the threads.
  // Idempotent, thread-safe, but not to be called from a handler: it waits for the thread that runs it.
  virtual void stop(std::chrono::milliseconds drain) = 0;
  virtual HttpServerCounters counters() const = 0;
};

}  // namespace hearsay::http
