#include "tests/bench/load/tls_socket.h"

#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace hearsay::load {

Result<std::unique_ptr<TlsContext>> TlsContext::create(bool frugal) {
  std::unique_ptr<TlsContext> made(new TlsContext);
  made->context_ = SSL_CTX_new(TLS_client_method());
  if (made->context_ == nullptr) return Error{ErrorCode::kInternal, "OpenSSL gives no context"};
  SSL_CTX_set_min_proto_version(made->context_, TLS1_3_VERSION);
  SSL_CTX_set_verify(made->context_, SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_mode(made->context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (frugal) {
    SSL_CTX_set_mode(made->context_, SSL_MODE_RELEASE_BUFFERS);
  } else {
    SSL_CTX_set_read_ahead(made->context_, 1);  // one read() for the head and the rest of a TLS record
  }
  SSL_CTX_set_session_cache_mode(made->context_, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(made->context_, keep_ticket);
  SSL_CTX_set_app_data(made->context_, made.get());
  return made;
}

TlsContext::~TlsContext() {
  SSL_SESSION_free(ticket_);
  SSL_CTX_free(context_);
}

int TlsContext::keep_ticket(SSL* ssl, SSL_SESSION* session) {
  auto* self = static_cast<TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  SSL_SESSION_free(self->ticket_);
  self->ticket_ = session;
  ++self->tickets_;
  return 1;
}

TlsSocket::TlsSocket(TlsSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), ssl_(std::exchange(other.ssl_, nullptr)) {}

int TlsSocket::begin(const TlsContext& context, const sockaddr_in& server, std::uint32_t source, bool resume) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return errno;
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // BBR and some other congestion controls pace, even on loopback. reno does not pace, and every kernel has reno.
  setsockopt(fd_, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
  if (source != 0) {
    setsockopt(fd_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = source;
    if (bind(fd_, reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0) return errno;
  }
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0 && errno != EINPROGRESS) {
    return errno;
  }
  ssl_ = SSL_new(context.get());
  if (ssl_ == nullptr || SSL_set_fd(ssl_, fd_) != 1) return ENOMEM;
  if (resume && context.ticket() != nullptr) SSL_set_session(ssl_, context.ticket());
  SSL_set_connect_state(ssl_);
  return 0;
}

TlsSocket::Step TlsSocket::step_of(int result) const {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return Step::kAgain;
    case SSL_ERROR_ZERO_RETURN:
      return Step::kClosed;
    default:
      return Step::kFailed;
  }
}

TlsSocket::Step TlsSocket::handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  return result == 1 ? Step::kDone : step_of(result);
}

TlsSocket::Step TlsSocket::write(std::string_view& rest) {
  ERR_clear_error();
  while (!rest.empty()) {
    std::size_t written = 0;
    const int result = SSL_write_ex(ssl_, rest.data(), rest.size(), &written);
    if (result != 1) return step_of(result);
    rest.remove_prefix(written);
  }
  return Step::kDone;
}

TlsSocket::Step TlsSocket::read(std::span<char> buffer, std::size_t& got) {
  ERR_clear_error();
  const int result = SSL_read_ex(ssl_, buffer.data(), buffer.size(), &got);
  return result == 1 ? Step::kDone : step_of(result);
}

void TlsSocket::close() {
  if (ssl_ != nullptr) {
    ERR_clear_error();
    if (SSL_is_init_finished(ssl_) == 1) SSL_shutdown(ssl_);
    SSL_free(ssl_);
    ssl_ = nullptr;
  }
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace hearsay::load
