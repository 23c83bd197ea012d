// Requests and responses as handlers see them, without sockets and library types.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hearsay::http {

// Views into the connection's buffers, valid until the request is answered.
struct HttpRequest {
  std::string_view method;         // "GET", "POST", …; HEAD arrives as "GET", and the server leaves the body out
  std::string_view path;           // decoded path without the query string, begins with '/'
  std::string_view query;          // the part behind '?', not decoded
  std::string_view content_type;   // value of Content-Type; empty if absent
  std::string_view accept;         // values of Accept; empty if absent
  std::string_view authorization;  // value of Authorization; empty if absent
  std::string_view host;           // value of Host, with the port; empty if absent, as HTTP/1.0 allows
  std::string_view origin;         // value of Origin, which browsers send; empty if absent
  bool prefers_minimal = false;    // "Prefer: return=minimal" (RFC 7240)
  std::optional<std::uint64_t> body_size{};  // the value of Content-Length; nothing if absent
  std::string_view body;                     // empty until the body is read
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  // further fields, e.g. Retry-After
  // If not null, this is the body instead of `body`. Many answers can share one copy.
  std::shared_ptr<const std::string> shared_body{};

  std::string_view content() const { return shared_body ? *shared_body : body; }
};

// A request that waits for its answer. Connections implement this interface; handlers use HttpExchange.
class PendingRequest {
 public:
  virtual const HttpRequest& request() const = 0;
  // See HttpExchange::stop_token(). Thread-safety: any thread, before answer().
  virtual std::stop_token stop_token() = 0;
  // Answers the request. If `response` is absent, the client gets a 500. Must be called once. After the call the
  // request may be gone. Thread-safety: any thread.
  virtual void answer(std::optional<HttpResponse> response) = 0;

 protected:
  ~PendingRequest() = default;
};

// Holds one request, which can be answered once. Owns the pending request like a unique_ptr. If an exchange is
// destroyed without an answer, it answers 500.
class HttpExchange {
 public:
  explicit HttpExchange(PendingRequest& pending) : pending_(&pending) {}
  HttpExchange(HttpExchange&& other) noexcept : pending_(std::exchange(other.pending_, nullptr)) {}
  HttpExchange& operator=(HttpExchange&&) = delete;
  ~HttpExchange() {
    if (pending_ != nullptr) pending_->answer(std::nullopt);
  }

  const HttpRequest& request() const { return pending_->request(); }
  // Returns a token for work that takes long. The server requests a stop when probably nobody waits for the answer:
  // after the client has closed its connection or its sending side, and after the server's time for draining is over.
  // The handler may still answer, and the server sends the answer if the connection allows it. Requests that the client
  // sends ahead do not stop the work.
  //
  // Callbacks of the token run on a thread of the server, and must not block. The server watches the connection only
  // after a call of stop_token(). Thread-safety: any thread.
  std::stop_token stop_token() const { return pending_->stop_token(); }
  // Answers the request. May be called on any thread. After the server has stopped, the answer is dropped.
  void respond(HttpResponse response) && { std::exchange(pending_, nullptr)->answer(std::move(response)); }

  // Gives up the pending request, for callbacks that can hold only a plain pointer. The caller must make one new
  // exchange from the result.
  PendingRequest& release() && { return *std::exchange(pending_, nullptr); }

 private:
  PendingRequest* pending_;
};

// The function that handles an admitted request.
struct HandleRequest {
  using Function = std::function<void(HttpExchange)>;

  template <class F>
  requires std::constructible_from<Function, F> HandleRequest(F&& given, bool is_trusted = false)
      : function(std::forward<F>(given)), trusted(is_trusted) {}

  Function function;  // called once, on a thread of the server; must not block
  // True if the client is known, and may use the memory that is kept for trusted clients (see MemoryBudget).
  bool trusted;
};

// Handles the requests of a server. If the function of a HandleRequest throws, the client gets a 500. Thread-safety:
// the server calls admit() on several threads at a time.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Called with a request's head before the server reads the body. Returns an answer that refuses the request, or the
  // function that handles the request once the body is read. Must not block, and must not keep views into `head`.
  virtual std::variant<HttpResponse, HandleRequest> admit(const HttpRequest& head) = 0;

  // Adds header fields to an answer. Called for every answer to a request whose head is complete, also for the server's
  // own answers (a body that is too large, no room in the budget, …). Must not block. Thread-safety: as admit().
  virtual void add_fields(const HttpRequest& /*request*/, HttpResponse& /*response*/) const {}
};

}  // namespace hearsay::http
