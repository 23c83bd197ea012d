// Requests and responses as the rest of the aggregator sees them: no sockets, no library types.
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
  std::string_view query;          // what follows '?', undecoded
  std::string_view content_type;   // value of Content-Type; empty if absent
  std::string_view accept;         // values of Accept; empty if absent
  std::string_view authorization;  // value of Authorization; empty if absent
  std::string_view host;           // value of Host, with the port; empty if absent, as HTTP/1.0 allows
  std::string_view origin;         // value of Origin, which browsers send; empty if absent
  bool prefers_minimal = false;    // "Prefer: return=minimal" (RFC 7240)
  std::optional<std::uint64_t> body_size{};  // as announced; nothing for a chunked body
  std::string_view body;                     // empty before it is read
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  // further fields, e.g. Retry-After
  // If not null, the body, in place of `body`. Many answers under way can share one copy.
  std::shared_ptr<const std::string> shared_body{};

  std::string_view content() const { return shared_body ? *shared_body : body; }
};

// A request that waits for its one answer. A connection implements it; handlers see it through HttpExchange.
class PendingRequest {
 public:
  virtual const HttpRequest& request() const = 0;
  // See HttpExchange::stop_token(). Thread-safety: any thread, before answer().
  virtual std::stop_token stop_token() = 0;
  // Answers, once. No response stands for a 500. The request is gone when answer() returns. Thread-safety: any thread.
  virtual void answer(std::optional<HttpResponse> response) = 0;

 protected:
  ~PendingRequest() = default;
};

// One request and the way for its one answer. Owns the pending request like a unique_ptr. An exchange that is destroyed
// without an answer answers 500.
class HttpExchange {
 public:
  explicit HttpExchange(PendingRequest& pending) : pending_(&pending) {}
  HttpExchange(HttpExchange&& other) noexcept : pending_(std::exchange(other.pending_, nullptr)) {}
  HttpExchange& operator=(HttpExchange&&) = delete;
  ~HttpExchange() {
    if (pending_ != nullptr) pending_->answer(std::nullopt);
  }

  const HttpRequest& request() const { return pending_->request(); }
  // For work that takes long. Stop is requested when nobody waits for the answer any more: the client has closed its
  // connection or its sending side, in order or by a reset; or the server's drain is over. If the handler answers all
  // the same, the answer goes to whoever still reads. Further requests that the client has sent ahead do not stop the
  // work.
  //
  // Callbacks run on a thread of the server, and must not block. The server watches only the connections of requests
  // that ask for a token. Thread-safety: any thread.
  std::stop_token stop_token() const { return pending_->stop_token(); }
  // Answers. May be called from any thread, also after the server has stopped; the answer then goes nowhere.
  void respond(HttpResponse response) && { std::exchange(pending_, nullptr)->answer(std::move(response)); }

  // Gives up the pending request, for callbacks that hold only plain pointers. The caller must make exactly one new
  // exchange of it.
  PendingRequest& release() && { return *std::exchange(pending_, nullptr); }

 private:
  PendingRequest* pending_;
};

// Handles one admitted request, whole.
struct HandleRequest {
  using Function = std::function<void(HttpExchange)>;

  template <class F>
  requires std::constructible_from<Function, F> HandleRequest(F&& given, bool is_trusted = false)
      : function(std::forward<F>(given)), trusted(is_trusted) {}

  Function function;  // called once, on a thread of the server; must not block
  // The client is known, and may use the memory that strangers may not (see MemoryBudget).
  bool trusted;
};

// Decides what becomes of requests. If a HandleRequest throws, the client gets a 500. Thread-safety: the server calls
// admit() from several threads at a time.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Looks at a request's head before the server reads any of the body. Returns an answer that refuses the request, or
  // the function that will handle the request once its body is there. Must not block, nor keep views into `head`.
  virtual std::variant<HttpResponse, HandleRequest> admit(const HttpRequest& head) = 0;

  // Adds fields to any answer to a request whose head has come, also to the server's own (a body that is too large, no
  // memory, ...). Must not block. Thread-safety: as admit().
  virtual void add_fields(const HttpRequest& /*request*/, HttpResponse& /*response*/) const {}
};

}  // namespace hearsay::http
