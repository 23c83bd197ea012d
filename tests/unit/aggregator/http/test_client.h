// An HTTP client that blocks and can misbehave, and certificates for the server.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "aggregator/http/server.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::http {

struct Reply {
  unsigned status = 0;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;

  std::string field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  }
};

// No call blocks for longer than tests::kPatience. If no TCP connection can be made, the test fails.
class TestClient {
 public:
  enum class Tls { kOff, kAny, kOnly12, kOnly13, kOnly11 };

  // `identity` is the client's certificate and key. The client's address is 127.0.0.`host`. `ahead` is sent before the
  // handshake.
  explicit TestClient(std::uint16_t port, Tls tls = Tls::kOff, SSL_SESSION* resume = nullptr,
                      const std::optional<TlsFiles>& identity = std::nullopt, unsigned host = 1,
                      std::string_view ahead = {});
  ~TestClient();
  TestClient(TestClient&& other) noexcept;
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  // Returns false if the TLS handshake failed.
  bool ready() const { return ready_; }
  SSL* ssl() { return ssl_; }
  int fd() const { return fd_; }

  bool send(std::string_view bytes);
  // Returns the next reply. If `head`, the reply has no body. Returns nothing if the connection ends or the reply is
  // malformed. Does not skip 1xx replies.
  std::optional<Reply> read(bool head = false);
  std::optional<Reply> get(std::string_view path);
  // Waits until the server closes the connection. Returns true if the server sent no byte before the end.
  bool closed_by_server();
  // Ends the sending side of the connection. Reading goes on.
  void finish_sending();
  void reset();

 private:
  bool fill();
  void close();

  int fd_ = -1;
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  bool ready_ = false;
  bool ended_ = false;
  std::string buffer_;
};

// A self-signed P-256 certificate for localhost, in a temporary directory. The certificate is valid since 1970, because
// a test's clock may show any time.
class TestCertificate {
 public:
  explicit TestCertificate(long serial = 1) { renew(serial); }

  TlsFiles files() const;
  const std::filesystem::path& directory() const { return directory_.path(); }
  // Writes a new certificate and key over the old files. The certificate is valid for `lifetime` seconds from now. If
  // `lifetime` is below 0, the certificate has expired.
  void renew(long serial, long lifetime = 90 * 86'400);

 private:
  tests::TemporaryDirectory directory_;
};

long peer_serial(SSL* ssl);

// Waits at most tests::kPatience until the condition holds. Returns false after this time.
bool eventually(const std::function<bool()>& condition);

struct Request {
  std::string method;
  std::string path;
  std::string query;
  std::string content_type;
  std::string body;
  bool prefers_minimal = false;
};
// Call once to answer. If all copies are destroyed without a call, the exchange is destroyed, too.
using Respond = std::function<void(HttpResponse)>;

class FunctionHandler final : public HttpHandler {
 public:
  using Handle = std::function<void(Request, Respond)>;
  // Returns the answer that refuses a request, or nothing to admit the request.
  using Admit = std::function<std::optional<HttpResponse>(const HttpRequest&)>;
  explicit FunctionHandler(Handle handle, Admit admit = {}) : handle_(std::move(handle)), admit_(std::move(admit)) {}

  std::variant<HttpResponse, HandleRequest> admit(const HttpRequest& head) override;

 private:
  void handle(HttpExchange exchange);

  Handle handle_;
  Admit admit_;
};

// Returns the options with time limits that no client reaches. Time limits that differ from the defaults stay.
HttpServerOptions patient(HttpServerOptions options);

// A server with a handler of its own and the options of patient().
class TestServer {
 public:
  static Result<TestServer> start(const HttpServerOptions& options, FunctionHandler::Handle handle,
                                  FunctionHandler::Admit admit = {});
  HttpServer* operator->() const { return server_.get(); }
  void reset() { server_.reset(); }

 private:
  TestServer() = default;
  std::unique_ptr<FunctionHandler> handler_;
  std::unique_ptr<HttpServer> server_;
};

// Returns a server. If the server does not start, the test fails.
TestServer start_server(const HttpServerOptions& options, FunctionHandler::Handle handle,
                        FunctionHandler::Admit admit = {});
// Answers 200 with "METHOD path?query [content type] body" in plain text.
void echo(const Request& request, const Respond& respond);

}  // namespace hearsay::http
