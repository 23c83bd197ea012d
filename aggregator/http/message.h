// Requests and responses as the rest of the aggregator sees them: no sockets, no library types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearsay::aggregator {

// Views into the connection's buffers, valid until the request is answered.
struct HttpRequest {
  std::string_view method;         // "GET", "POST", …; HEAD arrives as "GET", and the server leaves the body out
  std::string_view path;           // decoded path without the query string, begins with '/'
  std::string_view query;          // what follows '?', undecoded
  std::string_view content_type;   // value of Content-Type; empty if absent
  std::string_view accept;         // values of Accept; empty if absent
  std::string_view authorization;  // value of Authorization; empty if absent
  bool prefers_minimal = false;    // "Prefer: return=minimal" (RFC 7240)
  std::optional<std::uint64_t> body_size{};  // as announced; nothing for a chunked body
  std::string_view body;                     // empty before it is read
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  // further fields, e.g. Retry-After
};

// Who made a request and waits for its answer. The seam between handlers and connections.
class HttpClient {
 public:
  virtual const HttpRequest& request() const = 0;
  // Called once, from any thread; nothing stands for a 500. The request is gone when it returns.
  virtual void settle(std::optional<HttpResponse> response) = 0;

 protected:
  ~HttpClient() = default;
};

// One request and the way of its one answer back. The request lives until it is answered.
class HttpExchange {
 public:
  explicit HttpExchange(HttpClient& client) : client_(&client) {}
  HttpExchange(HttpExchange&& other) noexcept : client_(std::exchange(other.client_, nullptr)) {}
  HttpExchange& operator=(HttpExchange&&) = delete;
  // Unanswered: the client gets a 500.
  ~HttpExchange() {
    if (client_ != nullptr) client_->settle(std::nullopt);
  }

  const HttpRequest& request() const { return client_->request(); }
  // From any thread, once. After the server has stopped it does nothing.
  void respond(HttpResponse response) && { std::exchange(client_, nullptr)->settle(std::move(response)); }

  // For callbacks that hold plain pointers only: whoever has the result makes a new exchange of it, once.
  HttpClient& detach() && { return *std::exchange(client_, nullptr); }

 private:
  HttpClient* client_;
};

// Called from the server's threads, several at a time; must not block. An exception costs the client a 500.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Looks at a request before any of its body is read. A response refuses it; the body is then never kept.
  virtual std::optional<HttpResponse> admit(const HttpRequest& head) = 0;
  // An admitted request, whole.
  virtual void handle(HttpExchange exchange) = 0;
};

}  // namespace hearsay::aggregator
