// Moves bytes to and from one socket that never blocks, plain or through TLS.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>

namespace hearsay::http {

struct IoResult {
  enum class Kind {
    kDone,  // `bytes` went through, at least one
    // Nothing went through. Try again when the socket can be read.
    kWantRead,
    // Nothing went through. Try again when the socket can be written.
    kWantWrite,
    // Nothing went through, and more is there to look at. Let others run first.
    kPaused,
    // The peer has closed in order.
    kEnd,
    kFailed,
  };
  Kind kind;
  std::size_t bytes = 0;
};

// OpenSSL works on the socket itself, without buffers in between. OpenSSL frees its own buffers while nothing is under
// way.
class Transport {
 public:
  // `fd` must not block. Its owner closes it after the last call. Without `context` the bytes are plain. Throws
  // std::bad_alloc.
  Transport(int fd, SSL_CTX* context);

  // Continues the handshake. kDone once it is complete (at once without TLS).
  IoResult handshake();
  // Reads bytes that come before TLS. Call this before the first handshake().
  IoResult read_ahead(std::span<char> out) { return receive(out); }
  IoResult read(std::span<char> out);
  IoResult write(std::span<const char> bytes);
  // Looks without taking anything. kEnd: the client has closed, or sends nothing more. kDone: bytes lie here; what lies
  // behind them shows only once they are read, except the end of the socket. kWantRead: nothing new.
  IoResult peek();
  // Says that nothing more will be written. Also kDone if that could not be sent any more.
  IoResult close_writing();

  // Reads and drops all that comes. kEnd when nothing more will come.
  IoResult discard();

  bool is_tls() const { return ssl_ != nullptr; }
  bool is_resumed() const { return ssl_ && SSL_session_reused(ssl_.get()) == 1; }
  // Returns true if the client has shown a certificate, and it has expired since.
  bool is_client_expired() const;
  // Returns true if the client has shown a certificate, and it was checked by another context.
  bool is_client_of_another(const SSL_CTX* context) const;
  // Returns true if OpenSSL holds received bytes, or the end, that it has not handed out. The socket does not announce
  // them, so read() before you wait for the socket.
  bool has_pending() const {
    return ssl_ && (SSL_has_pending(ssl_.get()) == 1 || (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0);
  }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  IoResult receive(std::span<char> out);
  IoResult send(std::span<const char> bytes);
  // OpenSSL's way to the socket (BIO).
  static const BIO_METHOD* socket_method();
  static int bio_receive(BIO* bio, char* out, std::size_t size, std::size_t* bytes);
  static int bio_send(BIO* bio, const char* data, std::size_t size, std::size_t* bytes);
  static long bio_control(BIO* bio, int command, long, void*);
  // Call this before each call of OpenSSL.
  void prepare();
  IoResult result_of(int returned);

  const int fd_;
  bool at_end_ = false;  // the peer sends nothing more
  // How much OpenSSL may still receive in one call.
  std::size_t allowance_ = 0;
  // OpenSSL wanted more than that.
  bool paused_ = false;
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace hearsay::http
