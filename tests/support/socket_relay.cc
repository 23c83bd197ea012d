#include "tests/support/socket_relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace hearsay::tests {
namespace {

constexpr int kLook = 20;  // milliseconds between checks whether the relay must stop

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) throw std::runtime_error("the socket's path is too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

int unix_socket() {
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) throw std::runtime_error("no socket");
  return made;
}

using Buffer = std::array<char, 1 << 16>;

// Returns the bytes that have arrived at `from`. Returns nothing if the connection has ended.
std::string receive(int from) {
  static thread_local Buffer buffer;
  const ssize_t size = recv(from, buffer.data(), buffer.size(), 0);
  return size <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(size));
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

SocketRelay::SocketRelay(std::string path, std::string server, Decide decide)
    : server_(std::move(server)), decide_(std::move(decide)), listener_(unix_socket()) {
  const sockaddr_un address = address_of(path);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener_, 16) != 0) {
    throw std::runtime_error("cannot listen at " + path);
  }
  acceptor_ = std::jthread([this] { accept_all(); });
}

SocketRelay::~SocketRelay() {
  stopping_ = true;
  acceptor_.join();
  threads_.clear();
  close(listener_);
}

void SocketRelay::accept_all() {
  while (!stopping_) {
    pollfd ready{listener_, POLLIN, 0};
    if (poll(&ready, 1, kLook) <= 0) continue;
    const int client = accept(listener_, nullptr, nullptr);
    if (client < 0) continue;
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([this, client] {
      serve(client);
      close(client);
    });
  }
}

void SocketRelay::serve(int client) {
  const int server = unix_socket();
  const sockaddr_un address = address_of(server_);
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  while (open && !stopping_) {
    std::array<pollfd, 2> ready{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), kLook) <= 0) continue;
    if (ready[1].revents != 0) {
      const std::string answer = receive(server);
      open = !answer.empty() && send_all(client, answer);
      continue;
    }
    const std::string bytes = receive(client);
    const Action action = bytes.empty() ? Action::kCut : decide_(bytes);
    open = action != Action::kCut && send_all(server, bytes);
    if (action == Action::kLose && open) receive(server);  // waits until the server has done what the client asked
    open = open && action == Action::kPass;
  }
  close(server);
}

}  // namespace hearsay::tests
