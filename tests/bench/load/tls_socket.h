// A TLS connection to a server on a non-blocking socket. The connection does not check the server's certificate, since
// the measurements go over loopback.
#pragma once

#include <netinet/in.h>
#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::load {

// The TLS settings and the newest ticket, which all connections share. `frugal`: OpenSSL frees its buffers while a
// connection is idle.
class TlsContext {
 public:
  static Result<std::unique_ptr<TlsContext>> create(bool frugal);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  SSL_CTX* get() const { return context_; }
  // Returns the newest ticket; null if no server has sent a ticket.
  SSL_SESSION* ticket() const { return ticket_; }
  std::uint64_t tickets() const { return tickets_; }

 private:
  TlsContext() = default;
  static int keep_ticket(SSL* ssl, SSL_SESSION* session);

  SSL_CTX* context_ = nullptr;
  SSL_SESSION* ticket_ = nullptr;
  std::uint64_t tickets_ = 0;
};

class TlsSocket {
 public:
  enum class Step : std::uint8_t { kDone, kAgain, kClosed, kFailed };

  TlsSocket() = default;
  ~TlsSocket() { close(); }
  TlsSocket(TlsSocket&& other) noexcept;
  TlsSocket& operator=(TlsSocket&&) = delete;

  // Starts to connect from the given address of this machine (network order; 0: any). Returns errno, or 0 if the
  // connection is under way.
  int begin(const TlsContext& context, const sockaddr_in& server, std::uint32_t source, bool resume);
  // Continues the handshake. kDone: the handshake is finished.
  Step handshake();
  // Sends from the front of `rest`, and removes the sent bytes from `rest`. kDone: all bytes were sent.
  Step write(std::string_view& rest);
  // Reads at most the size of `buffer`. kDone: `got` bytes were read, at least one.
  Step read(std::span<char> buffer, std::size_t& got);
  // Sends the end of the TLS session, if the socket has room, and closes the socket.
  void close();

  int descriptor() const { return fd_; }
  bool resumed() const { return SSL_session_reused(ssl_) == 1; }

 private:
  Step step_of(int result) const;

  int fd_ = -1;
  SSL* ssl_ = nullptr;
};

}  // namespace hearsay::load
