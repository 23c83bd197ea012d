// The state that the connections of one thread share, and the state that all threads of a server share.
#pragma once

#include "aggregator/http/asio_types.h"  // first, because Asio needs <utility> before it

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "aggregator/http/memory_budget.h"
#include "aggregator/http/server.h"
#include "aggregator/http/tls.h"
#include "hearsay/clock.h"

namespace hearsay::http {

// Counts the open connections, for the limits and for draining. An address is kept only while it has connections.
class OpenConnections {
 public:
  enum class Limit { kNone, kTotal, kAddress };

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  // Counts a connection until remove(), and returns kNone. If a limit is reached, returns the limit.
  Limit add(const AddressKey& address, std::size_t max_total, std::size_t max_per_address);
  void remove(const AddressKey& address);
  // Makes a connection that counted for kUnlimitedAddress count for `address`. If `address` has max_per_address
  // connections already, returns false and changes nothing.
  bool move_to(const AddressKey& address, std::size_t max_per_address);
  // Blocks until no connection is left. Returns false if `limit` passes first.
  bool wait_for_none(std::chrono::milliseconds limit);

 private:
  // Needs mutex_. Returns false if the address has `max` connections already.
  bool count(const AddressKey& address, std::size_t max);

  std::atomic<std::size_t> size_ = 0;
  std::mutex mutex_;
  std::map<AddressKey, std::size_t> addresses_;
  std::condition_variable none_left_;
};

// The state of a server. Outlives the server's threads.
struct ServerState {
  ServerState(HttpServerOptions given, HttpHandler& handler_given, HttpObserver* observer_given)
      : options(std::move(given)),
        handler(handler_given),
        observer(observer_given),
        // An address may hold at least one body of the largest size.
        memory(std::make_shared<MemoryBudget>(
            options.max_buffered_bytes, std::max(options.max_buffered_bytes_per_address, options.max_body_bytes))) {}

  // Returns the key with which the limits by address count a client.
  AddressKey limited_key(const asio::ip::address& client) const {
    return any_contains(options.shared_addresses, bytes_of(client)) ? kUnlimitedAddress : key_of(client);
  }

  const HttpServerOptions options;
  HttpHandler& handler;
  HttpObserver* const observer;
  CurrentTls tls;
  // All counters except the counters in `open` and `memory`.
  HttpServerCounters counters;
  OpenConnections open;
  const std::shared_ptr<MemoryBudget> memory;  // shared with requests that outlive the server
  std::atomic<bool> stopping = false;
};

class Connection;

// An io_context and the thread that runs it. A connection stays with its worker, so only the part of its state that
// other threads reach through stop_token() needs a lock.
class Worker {
 public:
  explicit Worker(ServerState& state);
  ~Worker() { finish(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // start(), drain(), abort() and finish() may be called on any thread, in this order. drain() and abort() may be left
  // out.
  void start();
  void drain();
  void abort();
  // Waits until the thread has nothing left to do, and joins the thread.
  void finish();

  ServerState& state() { return state_; }
  asio::io_context& context() { return *context_; }
  // Connections share the context, because they may outlive the worker while they wait for an answer.
  const std::shared_ptr<asio::io_context>& shared_context() const { return context_; }
  // Returns how many connections this worker has, including connections that reserve() announced.
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }

  // Announces a connection that will be added. Called on the thread that accepts.
  void reserve() { load_.fetch_add(1, std::memory_order_relaxed); }

  // Thread-safety: add() and the functions below must be called on the worker's thread. Only release() may be called on
  // any thread.
  void add(std::shared_ptr<Connection> connection);
  void remove(const std::shared_ptr<Connection>& connection);
  void release() { load_.fetch_sub(1, std::memory_order_relaxed); }
  std::string_view date();
  // Returns memory in which a connection composes a response.
  std::string& scratch() { return scratch_; }
  // Returns memory into which a connection reads bytes of a large body.
  std::span<char> landing() { return landing_; }
  // The size of the buffers for requests in progress.
  static constexpr std::size_t kInputBytes = 4096;
  std::vector<char> take_buffer();
  void give_back(std::vector<char> buffer);

 private:
  void run();

  ServerState& state_;
  const std::shared_ptr<asio::io_context> context_ = std::make_shared<asio::io_context>(1);
  std::optional<asio::executor_work_guard<Executor>> work_;
  std::thread thread_;
  std::atomic<std::size_t> load_ = 0;
  std::set<std::shared_ptr<Connection>> connections_;
  UnixSeconds date_time_ = 0;
  std::string date_;
  std::string scratch_;
  std::vector<char> landing_ = std::vector<char>(16U << 10U);
  std::vector<std::vector<char>> buffers_;
};

}  // namespace hearsay::http
