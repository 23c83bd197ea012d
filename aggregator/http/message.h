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
  // Not null: the body, in place of `body`. Many answers under way then share one copy.
  std::shared_ptr<const std::string> shared_body{};

  std::string_view content() const { return shared_body ? *shared_body : body; }
};

// A request that waits for its one answer. A connection implements it; handlers see it through HttpExchange.
class PendingRequest {
 public:
  virtual const HttpRequest& request() const = 0;
  // See HttpExchange::stop_token(). Thread-safety: any thread, before answer().
  virtual std::stop_token stop_token() = 0;
  // Thread-safety: any thread, once. No response stands for a 500. The request is gone when answer() returns.
  virtual void answer(std::optional<HttpResponse> response) = 0;

 protected:
  ~PendingRequest() = default;
};

// One request and the way of its one answer back. Owns the pending request, as a unique_ptr would: an exchange that is
// destroyed without an answer answers 500.
class HttpExchange {
 public:
  explicit HttpExchange(PendingRequest& pending) : pending_(&pending) {}
  HttpExchange(HttpExchange&& other) noexcept : pending_(std::exchange(other.pending_, nullptr)) {}
  HttpExchange& operator=(HttpExchange&&) = delete;
  ~HttpExchange() {
    if (pending_ != nullptr) pending_->answer(std::nullopt);
  }

  const HttpRequest& request() const { return pending_->request(); }
  // For work that takes long: stop is requested when nobody waits for the answer any more. That is when the client has
  // closed its connection or its sending side, in order or by a reset, or when the server's drain is over. An answer
  // that is given all the same goes to whoever still reads. Requests that the client has sent ahead are no end.
  // Callbacks run on a thread of the server, and must not block. Thread-safety: any thread. The server watches the
  // connection only for requests that ask.
  std::stop_token stop_token() const { return pending_->stop_token(); }
  // Answers. May be called from any thread, also after the server has stopped; the answer then goes nowhere.
  void respond(HttpResponse response) && { std::exchange(pending_, nullptr)->answer(std::move(response)); }

  // For callbacks that hold plain pointers only. The caller makes a new exchange of the pending request, once.
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
  bool trusted;       // the client is known, and may use the memory that strangers may not (see MemoryBudget)
};

// Decides what becomes of requests. Thread-safety: the server calls admit() from several threads at a time. An
// exception of a HandleRequest costs the client a 500.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Looks at a request's head before the server reads any of the body. Returns the answer that refuses the request, or
  // the function that handles the request once its body is there. Must not block, nor keep views into `head`.
  virtual std::variant<HttpResponse, HandleRequest> admit(const HttpRequest& head) = 0;

  // Adds fields to the answer of a request whose head has come, also where the server itself answers (a body that is
  // too large, no memory, ...). Thread-safety as admit(). Must not block.
  virtual void add_fields(const HttpRequest& /*request*/, HttpResponse& /*response*/) const {}
};

}  // namespace hearsay::http
