#include "aggregator/http/worker.h"

#include <boost/asio/post.hpp>
#include <vector>

#include "aggregator/http/response_writer.h"

namespace hearsay::aggregator {

void OpenConnections::remove() {
  if (size_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::lock_guard lock(mutex_);
  none_left_.notify_all();
}

bool OpenConnections::wait_for_none(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return none_left_.wait_for(lock, limit, [&] { return size_.load(std::memory_order_acquire) == 0; });
}

void Worker::start() {
  work_.emplace(context_->get_executor());
  thread_ = std::thread([this] { run(); });
}

void Worker::run() {
  for (;;) {
    try {
      context_->run();
      return;
    } catch (...) {
      // Out of memory, at worst: the operation that threw is lost, the other connections go on.
      continue;
    }
  }
}

void Worker::drain() {
  asio::post(*context_, [this] {
    for (Connection* connection : connections_) connection->begin_drain();
  });
}

void Worker::abort() {
  asio::post(*context_, [this] {
    for (Connection* connection : connections_) connection->abort();
  });
}

void Worker::finish() {
  work_.reset();
  if (thread_.joinable()) thread_.join();
}

void Worker::reserve() {
  load_.fetch_add(1, std::memory_order_relaxed);
  state_.open.add();
}

void Worker::remove(Connection* connection) {
  connections_.erase(connection);
  release();
}

void Worker::release() {
  load_.fetch_sub(1, std::memory_order_relaxed);
  state_.open.remove();
}

std::string_view Worker::date() {
  const UnixSeconds now = system_clock().now();
  if (date_.empty() || now != date_time_) {
    date_time_ = now;
    date_ = format_http_date(now);
  }
  return date_;
}

}  // namespace hearsay::aggregator
