#include "aggregator/http/worker.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "aggregator/http/connection.h"
#include "aggregator/http/response_writer.h"

namespace hearsay::http {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kSpareBuffers = 256;

}  // namespace

bool OpenConnections::count(const AddressKey& address, std::size_t max) {
  if (address == kUnlimitedAddress) return true;
  const auto entry = addresses_.try_emplace(address, 0).first;
  if (entry->second >= max) return false;
  ++entry->second;
  return true;
}

bool OpenConnections::move_to(const AddressKey& address, std::size_t max_per_address) {
  const std::lock_guard lock(mutex_);
  return count(address, max_per_address);
}

OpenConnections::Limit OpenConnections::add(const AddressKey& address, std::size_t max_total,
                                            std::size_t max_per_address) {
  const std::lock_guard lock(mutex_);
  if (size() >= max_total) return Limit::kTotal;
  if (!count(address, max_per_address)) return Limit::kAddress;
  size_.fetch_add(1, std::memory_order_relaxed);
  return Limit::kNone;
}

void OpenConnections::remove(const AddressKey& address) {
  const std::lock_guard lock(mutex_);
  const auto entry = addresses_.find(address);  // kUnlimitedAddress has no entry
  if (entry != addresses_.end() && --entry->second == 0) addresses_.erase(entry);
  if (size_.fetch_sub(1, std::memory_order_acq_rel) == 1) none_left_.notify_all();
}

bool OpenConnections::wait_for_none(milliseconds limit) {
  std::unique_lock lock(mutex_);
  return none_left_.wait_for(lock, limit, [&] { return size_.load(std::memory_order_acquire) == 0; });
}

Worker::Worker(ServerState& state) : state_(state) {
  buffers_.reserve(kSpareBuffers);  // so that give_back() cannot fail
}

void Worker::start() {
  work_.emplace(context_->get_executor());
  thread_ = std::thread([this] { run(); });
}

void Worker::run() {
  pthread_setname_np(pthread_self(), "http");
  for (;;) {
    try {
      context_->run();
      return;
    } catch (...) {
      // Most likely there is no memory. The operation that threw is lost; other connections go on.
      continue;
    }
  }
}

void Worker::drain() {
  asio::post(*context_, [this] {
    // A copy, because connections_ changes when connections close.
    const auto connections = connections_;
    for (const auto& connection : connections) connection->begin_drain();
  });
}

void Worker::abort() {
  asio::post(*context_, [this] {
    const auto connections = connections_;
    for (const auto& connection : connections) connection->finish();
  });
}

void Worker::finish() {
  work_.reset();
  if (thread_.joinable()) thread_.join();
}

void Worker::add(std::shared_ptr<Connection> connection) { connections_.insert(std::move(connection)); }

void Worker::remove(const std::shared_ptr<Connection>& connection) {
  connections_.erase(connection);
  release();
}

std::string_view Worker::date() {
  static const std::unique_ptr<Clock> clock = make_system_clock();
  const UnixSeconds now = clock->now();
  if (date_.empty() || now != date_time_) {
    date_time_ = now;
    date_ = format_http_date(now);
  }
  return date_;
}

std::vector<char> Worker::take_buffer() {
  if (buffers_.empty()) return std::vector<char>(kInputBytes);
  std::vector<char> buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

void Worker::give_back(std::vector<char> buffer) {
  if (buffer.size() == kInputBytes && buffers_.size() < kSpareBuffers) buffers_.push_back(std::move(buffer));
}

}  // namespace hearsay::http
