#include "aggregator/http/transport.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <new>

namespace hearsay::aggregator {

namespace {

using Kind = IoResult::Kind;

IoResult from_errno(Kind want) {
  const bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {later ? want : Kind::kFailed};
}

}  // namespace

Transport::Transport(int fd, SSL_CTX* context) : fd_(fd) {
  if (context == nullptr) return;
  ssl_.reset(SSL_new(context));
  if (!ssl_ || SSL_set_fd(ssl_.get(), fd) != 1) throw std::bad_alloc();
  SSL_set_accept_state(ssl_.get());
}

IoResult Transport::handshake() {
  if (!ssl_) return {Kind::kDone};
  ERR_clear_error();  // SSL_get_error() looks at the thread's queue
  const int returned = SSL_do_handshake(ssl_.get());
  return returned == 1 ? IoResult{Kind::kDone} : result_of(returned);
}

IoResult Transport::read(std::span<char> out) {
  if (ssl_) {
    ERR_clear_error();
    std::size_t bytes = 0;
    const int returned = SSL_read_ex(ssl_.get(), out.data(), out.size(), &bytes);
    return returned == 1 ? IoResult{Kind::kDone, bytes} : result_of(returned);
  }
  const ssize_t size = ::recv(fd_, out.data(), out.size(), 0);
  if (size > 0) return {Kind::kDone, static_cast<std::size_t>(size)};
  return size == 0 ? IoResult{Kind::kEnd} : from_errno(Kind::kWantRead);
}

IoResult Transport::write(std::span<const char> bytes) {
  if (ssl_) {
    ERR_clear_error();
    std::size_t written = 0;
    const int returned = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
    return returned == 1 ? IoResult{Kind::kDone, written} : result_of(returned);
  }
  const ssize_t size = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return size > 0 ? IoResult{Kind::kDone, static_cast<std::size_t>(size)} : from_errno(Kind::kWantWrite);
}

IoResult Transport::close_writing() {
  if (ssl_) {
    ERR_clear_error();
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
  const ssize_t size = ::recv(fd_, forgotten.data(), forgotten.size(), 0);
  if (size > 0) return {Kind::kDone, static_cast<std::size_t>(size)};
  return size == 0 ? IoResult{Kind::kEnd} : from_errno(Kind::kWantRead);
}

IoResult Transport::result_of(int returned) {
  const int error = SSL_get_error(ssl_.get(), returned);
  if (error == SSL_ERROR_WANT_READ) return {Kind::kWantRead};
  if (error == SSL_ERROR_WANT_WRITE) return {Kind::kWantWrite};
  const bool truncated =
      error == SSL_ERROR_SSL && ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  ERR_clear_error();
  return {error == SSL_ERROR_ZERO_RETURN || truncated ? Kind::kEnd : Kind::kFailed};
}

}  // namespace hearsay::aggregator
