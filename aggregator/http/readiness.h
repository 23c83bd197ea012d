// Which sockets of a worker are ready.
#pragma once

#include "aggregator/http/asio_types.h"  // first: see there

#include <sys/epoll.h>

#include <array>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstddef>
#include <span>

namespace hearsay::aggregator {

// `returned` of the system call `name`. Throws boost::system::system_error if it failed.
int checked(int returned, const char* name);

// An epoll instance of its own, which Asio watches: sockets are registered once and report edges, where each wait of
// Asio's for a socket costs a system call. The context's thread only.
class Readiness {
 public:
  class Watcher {
   public:
    // Something may be read or written that could not be before; `suspect`: the peer has hung up or sent urgent data.
    // Throws nothing.
    virtual void on_ready(bool suspect) = 0;

   protected:
    ~Watcher() = default;
  };

  // Keeps the context running until stop(). Throws boost::system::system_error.
  explicit Readiness(asio::io_context& context);
  void stop();

  // From now on `watcher` hears of `fd`, first of what there is already. Throws boost::system::system_error.
  void add(int fd, Watcher& watcher);
  // Nothing more is told.
  void remove(int fd, Watcher& watcher);
  // Again and again: memory may have lacked to wait for the next edge.
  void wait();

 private:
  void deliver();

  static constexpr std::size_t kEvents = 64;

  asio::posix::basic_stream_descriptor<Executor> epoll_;
  bool waiting_ = false;
  std::array<epoll_event, kEvents> events_;
  std::span<epoll_event> undelivered_;
};

}  // namespace hearsay::aggregator
