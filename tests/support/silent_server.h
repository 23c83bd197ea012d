// A TCP port on loopback. The kernel accepts connections there, and nobody answers.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace hearsay::tests {

class SilentServer {
 public:
  SilentServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool listening = ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                           ::listen(listener_, 128) == 0 &&
                           ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (!listening) std::abort();
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { ::close(listener_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  int listener_;
  std::uint16_t port_ = 0;
};

}  // namespace hearsay::tests
