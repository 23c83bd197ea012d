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
    kEnd,        // the peer has closed in order
    kFailed,
  };
  Kind kind;
  std::size_t bytes = 0;
};

// OpenSSL works on the socket itself, without buffers in between: its own are given back while nothing is under way.
class Transport {
 public:
  // `fd` does not block and outlives the object. Without `context` the bytes are plain. Throws std::bad_alloc.
  Transport(int fd, SSL_CTX* context);

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
  // Whether read() has something without the socket being readable.
  bool has_buffered() const { return ssl_ && SSL_has_pending(ssl_.get()) == 1; }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  IoResult result_of(int returned);

  int fd_;
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace hearsay::aggregator
