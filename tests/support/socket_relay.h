// A Unix socket between a client and a server. A test can cut the connection at any message.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace hearsay::tests {

// Passes bytes on in both directions, each connection on a thread of its own.
class SocketRelay {
 public:
  enum class Action {
    kPass,
    kCut,   // both sides see the connection end, and the server sees nothing of these bytes
    kLose,  // the server gets the bytes and answers; the client sees the connection end instead
    kPart,  // the server gets the bytes; the client sees the connection end at once
  };
  // Decides what happens to bytes that a client sent together, or shortly one after another. The relay's threads call
  // this.
  using Decide = std::function<Action(std::string_view bytes)>;

  SocketRelay(std::string path, std::string server, Decide decide);
  ~SocketRelay();
  SocketRelay(const SocketRelay&) = delete;
  SocketRelay& operator=(const SocketRelay&) = delete;

 private:
  void accept_all();
  void serve(int client);

  const std::string server_;
  const Decide decide_;
  int listener_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
  std::jthread acceptor_;
};

}  // namespace hearsay::tests
