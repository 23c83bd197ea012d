// Moves bytes to and from one non-blocking socket, over TLS or without.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>

namespace hearsay::http {

struct IoResult {
  enum class Kind {
    kDone,  // `bytes` bytes were moved, at least one; or a call that moves no bytes is complete
    // No byte was moved. Try again when the socket is readable.
    kWantRead,
    // No byte was moved. Try again when the socket is writable.
    kWantWrite,
    // No byte was moved, and OpenSSL has more to do. Try again after other connections had their turn.
    kPaused,
    // The peer sends nothing more.
    kEnd,
    kFailed,
  };
  Kind kind;
  std::size_t bytes = 0;
};

// OpenSSL reads and writes the socket directly, and frees its own buffers while these are empty.
class Transport {
 public:
  // `fd` must be non-blocking. The owner of `fd` must close `fd` only after the last call. If `context` is null, there
  // is no TLS. Throws std::bad_alloc.
  Transport(int fd, SSL_CTX* context);

  // Continues the handshake. Returns kDone once the handshake is complete; without TLS, at once.
  IoResult handshake();
  // Reads bytes that come before TLS. Call this before the first handshake().
  IoResult read_ahead(std::span<char> out) { return receive(out); }
  IoResult read(std::span<char> out);
  IoResult write(std::span<const char> bytes);
  // Looks for bytes without reading them. kEnd: the client has closed, or sends nothing more. kDone: there are unread
  // bytes. peek() does not see an end that TLS announces behind these bytes. kWantRead: nothing has come.
  IoResult peek();
  // Tells the peer that nothing more will be written. Also returns kDone if this could not be sent.
  IoResult close_writing();

  // Reads and drops some bytes. Returns kEnd when nothing more will come.
  IoResult discard();

  bool is_tls() const { return ssl_ != nullptr; }
  bool is_resumed() const { return ssl_ && SSL_session_reused(ssl_.get()) == 1; }
  // Returns true if the client has shown a certificate that has expired.
  bool is_client_expired() const;
  // Returns true if the client has shown a certificate that a context other than `context` checked.
  bool is_client_of_another(const SSL_CTX* context) const;
  // Returns true if OpenSSL holds received bytes, or has seen the end. A wait for the socket does not notice such
  // bytes, so call read() first.
  bool has_pending() const {
    return ssl_ && (SSL_has_pending(ssl_.get()) == 1 || (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0);
  }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  IoResult receive(std::span<char> out);
  IoResult send(std::span<const char> bytes);
  // The BIO with which OpenSSL uses the socket.
  static const BIO_METHOD* socket_method();
  static int bio_receive(BIO* bio, char* out, std::size_t size, std::size_t* bytes);
  static int bio_send(BIO* bio, const char* data, std::size_t size, std::size_t* bytes);
  static long bio_control(BIO* bio, int command, long, void*);
  // Call this before each call of a function of OpenSSL.
  void prepare();
  IoResult result_of(int returned);

  const int fd_;
  bool at_end_ = false;  // the peer sends nothing more
  // How many bytes OpenSSL may still receive in the present call.
  std::size_t allowance_ = 0;
  // True if OpenSSL wanted more than the allowance.
  bool paused_ = false;
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace hearsay::http
