// Bytes to and from one socket that never blocks, plain or through TLS.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>

namespace hearsay::http {

struct IoResult {
  enum class Kind {
    kDone,       // `bytes` went through, at least one
    kWantRead,   // nothing did; try again when the socket can be read
    kWantWrite,  // … written
    kPaused,     // nothing did, and there is more to look at: others first
    kEnd,        // the peer has closed in order
    kFailed,
  };
  Kind kind;
  std::size_t bytes = 0;
};

// OpenSSL works on the socket itself, without buffers in between: its own are given back while nothing is under way.
class Transport {
 public:
  // `fd` does not block; its owner closes it after the last call. Without `context` the bytes are plain. Throws
  // std::bad_alloc.
  Transport(int fd, SSL_CTX* context);

  // kDone once the handshake is complete (at once without TLS).
  IoResult handshake();
  // Reads bytes that come before TLS, before the first handshake().
  IoResult read_ahead(std::span<char> out) { return receive(out); }
  IoResult read(std::span<char> out);
  IoResult write(std::span<const char> bytes);
  // Looks without taking anything. kEnd: the client has closed, or sends nothing more. kDone: bytes lie here; what is
  // behind them shows once they are read, except the end of the socket. kWantRead: nothing new.
  IoResult peek();
  // Says that nothing more will be written; kDone also if that could not be sent any more.
  IoResult close_writing();

  // Reads and forgets what comes, whatever it is; kEnd when nothing more will.
  IoResult discard();

  bool is_tls() const { return ssl_ != nullptr; }
  bool is_resumed() const { return ssl_ && SSL_session_reused(ssl_.get()) == 1; }
  // Returns true if the client has shown a certificate, and it has expired since.
  bool is_client_expired() const;
  // Returns true if the client has shown a certificate, and it was checked by another context.
  bool is_client_of_another(const SSL_CTX* context) const;
  // Returns true if OpenSSL holds bytes, or the end, that it has received and not handed out. The socket does not
  // announce them: read() before waiting for the socket.
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
  // Before each call of OpenSSL.
  void prepare();
  IoResult result_of(int returned);

  const int fd_;
  bool at_end_ = false;        // the peer sends nothing more
  std::size_t allowance_ = 0;  // what OpenSSL may still receive in one call
  bool paused_ = false;        // it wanted more
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace hearsay::http
