// Bytes to and from one socket that never blocks, plain or through TLS.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>

namespace hearsay::aggregator {

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

// A socket that knows whether it has been read to the end of what has come.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() { close(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }
  void close();

  IoResult receive(std::span<char> out);
  IoResult send(std::span<const char> bytes);
  void stop_sending();

  // False only if a receive() would bring nothing. Whoever watches the socket says when that may have changed, and when
  // a receive() that comes back short proves nothing any more: behind a hang-up or urgent data there may be more, which
  // is told no second time.
  bool may_receive() const { return !drained_ || suspect_; }
  void set_ready(bool suspect) {
    drained_ = false;
    suspect_ = suspect_ || suspect;
  }
  bool at_end() const { return at_end_; }

 private:
  int fd_;
  bool drained_ = false;
  bool suspect_ = false;
  bool at_end_ = false;
};

// OpenSSL works on the socket itself, without buffers in between: its own are given back while nothing is under way.
class Transport {
 public:
  // Takes over `fd`, which does not block. Without `context` the bytes are plain. Throws std::bad_alloc, and has closed
  // `fd`.
  Transport(int fd, SSL_CTX* context);

  Socket& socket() { return socket_; }

  // kDone once the handshake is complete (at once without TLS).
  IoResult handshake();
  IoResult read(std::span<char> out);
  IoResult write(std::span<const char> bytes);
  // Says that nothing more will be written; kDone also if that could not be sent any more.
  IoResult close_writing();

  // Reads and forgets what comes, whatever it is; kEnd when nothing more will.
  IoResult discard();

  bool is_tls() const { return ssl_ != nullptr; }
  bool is_resumed() const { return ssl_ && SSL_session_reused(ssl_.get()) == 1; }
  // False only if a read() would bring nothing before the socket is ready again.
  bool may_read() const { return socket_.may_receive() || (ssl_ && SSL_has_pending(ssl_.get()) == 1); }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  // OpenSSL's way to the socket (BIO).
  static const BIO_METHOD* socket_method();
  static int receive(BIO* bio, char* out, std::size_t size, std::size_t* bytes);
  static int send(BIO* bio, const char* data, std::size_t size, std::size_t* bytes);
  static long control(BIO* bio, int command, long, void*);
  // Before each call of OpenSSL.
  void prepare();
  IoResult result_of(int returned);

  Socket socket_;
  std::size_t allowance_ = 0;  // what OpenSSL may still receive in one call
  bool paused_ = false;        // it wanted more
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace hearsay::aggregator
