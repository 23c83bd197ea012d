#include "aggregator/http/transport.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

namespace hearsay::http {

namespace {

using Kind = IoResult::Kind;

IoResult from_errno(Kind want) { return {errno == EAGAIN || errno == EWOULDBLOCK ? want : Kind::kFailed}; }

// About how many bytes OpenSSL may receive in one call. Without this bound, OpenSSL would not return while records
// without data arrive, for example endless key updates.
constexpr std::size_t kAllowance = 32 << 10;

Transport& owner(BIO* bio) { return *static_cast<Transport*>(BIO_get_data(bio)); }

int bio_result(BIO* bio, const IoResult& result, std::size_t* bytes) {
  BIO_clear_retry_flags(bio);
  *bytes = result.bytes;
  if (result.kind == Kind::kWantRead || result.kind == Kind::kPaused) BIO_set_retry_read(bio);
  if (result.kind == Kind::kWantWrite) BIO_set_retry_write(bio);
  // 0 means the end of the input, as with OpenSSL's own BIO.
  return result.kind == Kind::kDone ? 1 : result.kind == Kind::kEnd ? 0 : -1;
}

}  // namespace

IoResult Transport::receive(std::span<char> out) {
  const ssize_t size = ::recv(fd_, out.data(), out.size(), 0);
  at_end_ = size == 0;
  if (size < 0) return from_errno(Kind::kWantRead);
  return {at_end_ ? Kind::kEnd : Kind::kDone, static_cast<std::size_t>(size)};
}

IoResult Transport::send(std::span<const char> bytes) {
  const ssize_t size = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return size > 0 ? IoResult{Kind::kDone, static_cast<std::size_t>(size)} : from_errno(Kind::kWantWrite);
}

// OpenSSL's own BIO for sockets is not used: it would raise SIGPIPE, and receives without a bound.
const BIO_METHOD* Transport::socket_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (made == nullptr) throw std::bad_alloc();
    BIO_meth_set_read_ex(made, bio_receive);
    BIO_meth_set_write_ex(made, bio_send);
    BIO_meth_set_ctrl(made, bio_control);
    return made;
  }();
  return method;
}

int Transport::bio_receive(BIO* bio, char* out, std::size_t size, std::size_t* bytes) {
  Transport& self = owner(bio);
  self.paused_ = self.allowance_ == 0;
  const IoResult result = self.paused_ ? IoResult{Kind::kPaused} : self.receive({out, size});
  self.allowance_ -= std::min(self.allowance_, result.bytes);
  return bio_result(bio, result, bytes);
}

int Transport::bio_send(BIO* bio, const char* data, std::size_t size, std::size_t* bytes) {
  return bio_result(bio, owner(bio).send({data, size}), bytes);
}

long Transport::bio_control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return owner(bio).at_end_ ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

Transport::Transport(int fd, SSL_CTX* context) : fd_(fd) {
  if (context == nullptr) return;
  ssl_.reset(SSL_new(context));
  BIO* const bio = ssl_ ? BIO_new(socket_method()) : nullptr;
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_accept_state(ssl_.get());
}

IoResult Transport::handshake() {
  if (!ssl_) return {Kind::kDone};
  prepare();
  const int returned = SSL_do_handshake(ssl_.get());
  return returned == 1 ? IoResult{Kind::kDone} : result_of(returned);
}

IoResult Transport::read(std::span<char> out) {
  if (ssl_) {
    prepare();
    std::size_t bytes = 0;
    const int returned = SSL_read_ex(ssl_.get(), out.data(), out.size(), &bytes);
    return returned == 1 ? IoResult{Kind::kDone, bytes} : result_of(returned);
  }
  return receive(out);
}

IoResult Transport::write(std::span<const char> bytes) {
  if (ssl_) {
    prepare();
    std::size_t written = 0;
    const int returned = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
    return returned == 1 ? IoResult{Kind::kDone, written} : result_of(returned);
  }
  return send(bytes);
}

// poll() shows that the peer has closed even if unread bytes are left. recv(MSG_PEEK) would show only the bytes.
IoResult Transport::peek() {
  pollfd socket{fd_, POLLIN | POLLRDHUP, 0};
  if (::poll(&socket, 1, 0) < 0) return from_errno(Kind::kWantRead);
  if ((socket.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return {Kind::kEnd};
  if (!ssl_) return {(socket.revents & POLLIN) != 0 ? Kind::kDone : Kind::kWantRead};
  prepare();
  char byte = 0;
  std::size_t bytes = 0;
  const int returned = SSL_peek_ex(ssl_.get(), &byte, 1, &bytes);
  return returned == 1 ? IoResult{Kind::kDone, bytes} : result_of(returned);
}

IoResult Transport::close_writing() {
  if (ssl_) {
    prepare();
    const int returned = SSL_shutdown(ssl_.get());
    if (returned < 0) {
      const IoResult result = result_of(returned);
      if (result.kind == Kind::kWantWrite) return result;
    }
    ERR_clear_error();
  }
  ::shutdown(fd_, SHUT_WR);
  return {Kind::kDone};
}

IoResult Transport::discard() {
  std::array<char, 4096> forgotten;
  return receive(forgotten);
}

bool Transport::is_client_expired() const {
  const X509* const certificate = ssl_ ? SSL_get0_peer_certificate(ssl_.get()) : nullptr;
  return certificate != nullptr && X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0;
}

bool Transport::is_client_of_another(const SSL_CTX* context) const {
  return ssl_ && SSL_get0_peer_certificate(ssl_.get()) != nullptr && SSL_get_SSL_CTX(ssl_.get()) != context;
}

void Transport::prepare() {
  if (ERR_peek_error() != 0) ERR_clear_error();  // SSL_get_error() reads the thread's queue of errors
  allowance_ = kAllowance;
  paused_ = false;
}

IoResult Transport::result_of(int returned) {
  const int error = SSL_get_error(ssl_.get(), returned);
  if (error == SSL_ERROR_WANT_READ) return {paused_ ? Kind::kPaused : Kind::kWantRead};
  if (error == SSL_ERROR_WANT_WRITE) return {Kind::kWantWrite};
  const bool truncated =
      error == SSL_ERROR_SSL && ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  ERR_clear_error();
  return {error == SSL_ERROR_ZERO_RETURN || truncated ? Kind::kEnd : Kind::kFailed};
}

}  // namespace hearsay::http
