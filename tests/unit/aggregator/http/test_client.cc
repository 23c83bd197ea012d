#include "tests/unit/aggregator/http/test_client.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>
#include <utility>

#include "tests/support/certificates.h"
#include "tests/support/patience.h"

namespace hearsay::http {

namespace {

constexpr timeval kLimit{tests::kPatience.count(), 0};

int connect_to(std::uint16_t port, unsigned host) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(fd >= 0);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof kLimit);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kLimit, sizeof kLimit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
  REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return fd;
}

void set_versions(SSL_CTX* context, TestClient::Tls tls) {
  const int version = tls == TestClient::Tls::kOnly11   ? TLS1_1_VERSION
                      : tls == TestClient::Tls::kOnly12 ? TLS1_2_VERSION
                      : tls == TestClient::Tls::kOnly13 ? TLS1_3_VERSION
                                                        : 0;
  // OpenSSL 3 uses TLS 1.1 only at security level 0, which allows SHA-1.
  if (tls == TestClient::Tls::kOnly11) SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_min_proto_version(context, version);
  SSL_CTX_set_max_proto_version(context, version);
}

}  // namespace

TestClient::TestClient(std::uint16_t port, Tls tls, SSL_SESSION* resume, const std::optional<TlsFiles>& identity,
                       unsigned host, std::string_view ahead)
    : fd_(connect_to(port, host)) {
  REQUIRE(send(ahead));
  if (tls == Tls::kOff) {
    ready_ = true;
    return;
  }
  context_ = SSL_CTX_new(TLS_client_method());
  set_versions(context_, tls);
  if (identity) {
    REQUIRE(SSL_CTX_use_certificate_chain_file(context_, identity->certificate.c_str()) == 1);
    REQUIRE(SSL_CTX_use_PrivateKey_file(context_, identity->private_key.c_str(), SSL_FILETYPE_PEM) == 1);
  }
  ssl_ = SSL_new(context_);
  SSL_set_fd(ssl_, fd_);
  if (resume != nullptr) SSL_set_session(ssl_, resume);
  ready_ = SSL_connect(ssl_) == 1;
}

TestClient::TestClient(TestClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      context_(std::exchange(other.context_, nullptr)),
      ssl_(std::exchange(other.ssl_, nullptr)),
      ready_(other.ready_),
      ended_(other.ended_),
      buffer_(std::move(other.buffer_)) {}

TestClient::~TestClient() { close(); }

void TestClient::close() {
  SSL_free(std::exchange(ssl_, nullptr));
  SSL_CTX_free(std::exchange(context_, nullptr));
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void TestClient::reset() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

bool TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ssl_ != nullptr ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                      : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void TestClient::finish_sending() {
  if (ssl_ != nullptr) {
    SSL_shutdown(ssl_);
  } else {
    ::shutdown(fd_, SHUT_WR);
  }
}

bool TestClient::fill() {
  char bytes[4096];
  ERR_clear_error();  // removes the errors of other connections
  const auto size = ssl_ != nullptr ? SSL_read(ssl_, bytes, sizeof bytes) : ::recv(fd_, bytes, sizeof bytes, 0);
  if (size <= 0) {
    // With TLS, only a close_notify counts as closed. Without TLS, only the end of the stream does.
    ended_ = ssl_ != nullptr ? SSL_get_error(ssl_, static_cast<int>(size)) == SSL_ERROR_ZERO_RETURN : size == 0;
    return false;
  }
  buffer_.append(bytes, static_cast<std::size_t>(size));
  return true;
}

std::optional<Reply> TestClient::read(bool head) {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return std::nullopt;
  }
  Reply reply;
  if (!buffer_.starts_with("HTTP/1.1 ")) return std::nullopt;
  reply.status = static_cast<unsigned>(std::strtoul(buffer_.c_str() + 9, nullptr, 10));
  for (std::size_t line = buffer_.find("\r\n") + 2; line < end + 2;) {
    const std::size_t line_end = buffer_.find("\r\n", line);
    const std::size_t colon = buffer_.find(": ", line);
    std::string name = buffer_.substr(line, colon - line);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    CHECK_MESSAGE(reply.fields.count(name) == 0, "repeated field " << name);
    reply.fields[name] = buffer_.substr(colon + 2, line_end - colon - 2);
    line = line_end + 2;
  }
  buffer_.erase(0, end + 4);
  const std::size_t size = head ? 0 : std::strtoul(reply.field("content-length").c_str(), nullptr, 10);
  while (buffer_.size() < size) {
    if (!fill()) return std::nullopt;
  }
  reply.body = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return reply;
}

std::optional<Reply> TestClient::get(std::string_view path) {
  if (!send("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) return std::nullopt;
  return read();
}

bool TestClient::closed_by_server() {
  while (fill()) {
  }
  return ended_ && buffer_.empty();
}

TlsFiles TestCertificate::files() const {
  return {(directory_ / "certificate.pem").string(), (directory_ / "key.pem").string()};
}

void TestCertificate::renew(long serial, long lifetime) {
  tests::IdentitySpec spec;
  spec.serial = serial;
  spec.not_after = std::time(nullptr) + lifetime;
  const tests::Identity identity = tests::make_identity(spec);
  std::ofstream(files().certificate) << identity.certificate_pem();
  tests::write_private(files().private_key, identity.key_pem());
}

long peer_serial(SSL* ssl) {
  const X509* certificate = SSL_get0_peer_certificate(ssl);
  return certificate == nullptr ? -1 : ASN1_INTEGER_get(X509_get0_serialNumber(certificate));
}

bool eventually(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + tests::kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

HttpServerOptions patient(HttpServerOptions options) {
  const HttpServerOptions defaults;
  for (auto limit : {&HttpServerOptions::handshake_timeout, &HttpServerOptions::first_byte_timeout,
                     &HttpServerOptions::header_timeout, &HttpServerOptions::body_timeout,
                     &HttpServerOptions::idle_timeout, &HttpServerOptions::write_timeout}) {
    if (options.*limit == defaults.*limit) options.*limit = 2 * tests::kPatience;
  }
  return options;
}

std::variant<HttpResponse, HandleRequest> FunctionHandler::admit(const HttpRequest& head) {
  if (auto refusing = admit_ ? admit_(head) : std::nullopt) return *std::move(refusing);
  return [this](HttpExchange exchange) { handle(std::move(exchange)); };
}

void FunctionHandler::handle(HttpExchange exchange) {
  const HttpRequest& head = exchange.request();
  Request request{std::string(head.method),       std::string(head.path), std::string(head.query),
                  std::string(head.content_type), std::string(head.body), head.prefers_minimal};
  const auto shared = std::make_shared<std::optional<HttpExchange>>(std::move(exchange));
  handle_(std::move(request), [shared](HttpResponse response) {
    if (!*shared) return;
    std::move(**shared).respond(std::move(response));
    shared->reset();
  });
}

Result<TestServer> TestServer::start(const HttpServerOptions& options, FunctionHandler::Handle handle,
                                     FunctionHandler::Admit admit) {
  TestServer test;
  test.handler_ = std::make_unique<FunctionHandler>(std::move(handle), std::move(admit));
  auto server = HttpServer::start(patient(options), *test.handler_);
  if (!server) return server.error();
  test.server_ = *std::move(server);
  return test;
}

TestServer start_server(const HttpServerOptions& options, FunctionHandler::Handle handle,
                        FunctionHandler::Admit admit) {
  auto server = TestServer::start(options, std::move(handle), std::move(admit));
  if (!server) FAIL(server.error().message);
  return *std::move(server);
}

void echo(const Request& request, const Respond& respond) {
  HttpResponse response;
  response.content_type = "text/plain";
  response.body =
      request.method + " " + request.path + "?" + request.query + " [" + request.content_type + "] " + request.body;
  respond(std::move(response));
}

}  // namespace hearsay::http
