#include "aggregator/http/readiness.h"

#include <algorithm>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstdint>
#include <new>

namespace hearsay::aggregator {

int checked(int returned, const char* name) {
  if (returned < 0) throw boost::system::system_error(errno, boost::system::system_category(), name);
  return returned;
}

Readiness::Readiness(asio::io_context& context)
    : epoll_(context.get_executor(), checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
  wait();
}

void Readiness::stop() {
  error_code ignored;
  epoll_.close(ignored);
}

void Readiness::add(int fd, Watcher& watcher) {
  epoll_event event{EPOLLIN | EPOLLPRI | EPOLLOUT | EPOLLRDHUP | EPOLLET, {.ptr = &watcher}};
  checked(epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

void Readiness::remove(int fd, Watcher& watcher) {
  epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, fd, nullptr);
  for (epoll_event& event : undelivered_) {
    if (event.data.ptr == &watcher) event.data.ptr = nullptr;
  }
}

void Readiness::wait() {
  if (waiting_) return;
  try {
    epoll_.async_wait(asio::posix::descriptor_base::wait_read, [this](const error_code& error) {
      if (error == asio::error::operation_aborted) return;  // stopped
      waiting_ = false;
      deliver();
      wait();
    });
    waiting_ = true;
  } catch (const std::bad_alloc&) {
    // Whoever calls next tries again.
  }
}

void Readiness::deliver() {
  const int count = epoll_wait(epoll_.native_handle(), events_.data(), static_cast<int>(events_.size()), 0);
  undelivered_ = {events_.data(), static_cast<std::size_t>(std::max(count, 0))};
  while (!undelivered_.empty()) {
    const epoll_event event = undelivered_.front();
    undelivered_ = undelivered_.subspan(1);
    if (event.data.ptr == nullptr) continue;
    static_cast<Watcher*>(event.data.ptr)->on_ready((event.events & ~std::uint32_t{EPOLLIN | EPOLLOUT}) != 0);
  }
}

}  // namespace hearsay::aggregator
