// What the connections of one thread share, and what all threads of a server share.
#pragma once

#include "aggregator/http/asio_types.h"  // first: see there

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

// The open connections, for the limits and for draining. An address is kept only while it is connected.
class OpenConnections {
 public:
  enum class Limit { kNone, kTotal, kAddress };

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  // Counts a connection until remove(), and returns kNone. If a limit is reached, returns the limit.
  Limit add(const AddressKey& address, std::size_t max_total, std::size_t max_per_address);
  void remove(const AddressKey& address);
  // Counts a connection for `address` from now on, which counted for no limited address so far. Returns false if that
  // address has too many; the connection then counts as before.
  bool move_to(const AddressKey& address, std::size_t max_per_address);
  // Blocks until no connection is left. Returns false if `limit` passes first.
  bool wait_for_none(std::chrono::milliseconds limit);

 private:
  // Requires mutex_. Returns false if the address has as many already.
  bool count(const AddressKey& address, std::size_t max);

  std::atomic<std::size_t> size_ = 0;
  std::mutex mutex_;
  std::map<AddressKey, std::size_t> addresses_;
  std::condition_variable none_left_;
};

// Lives as long as the threads do.
struct ServerState {
  ServerState(HttpServerOptions given, HttpHandler& handler_given, HttpObserver* observer_given)
      : options(std::move(given)),
        handler(handler_given),
        observer(observer_given),
        // A body of the largest size always fits an address's part.
        memory(std::make_shared<MemoryBudget>(
            options.max_buffered_bytes, std::max(options.max_buffered_bytes_per_address, options.max_body_bytes))) {}

  // Returns the key under which the limits by address count a client.
  AddressKey limited_key(const asio::ip::address& client) const {
    return any_contains(options.shared_addresses, bytes_of(client)) ? kUnlimitedAddress : key_of(client);
  }

  const HttpServerOptions options;
  HttpHandler& handler;
  HttpObserver* const observer;
  CurrentTls tls;
  // Counts everything except what `open` and `memory` count.
  HttpServerCounters counters;
  OpenConnections open;
  const std::shared_ptr<MemoryBudget> memory;  // shared with requests that outlive the server
  std::atomic<bool> stopping = false;
};

class Connection;

// One io_context, and the one thread that runs it. A connection stays with its worker, so its state needs no lock or
// strand.
class Worker {
 public:
  explicit Worker(ServerState& state);
  ~Worker() { finish(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Thread-safety: any thread. Order: start, [drain, abort,] finish.
  void start();
  void drain();
  void abort();
  // Joins the thread as soon as nothing is left to do.
  void finish();

  ServerState& state() { return state_; }
  asio::io_context& context() { return *context_; }
  // Shared with connections that may outlive the worker because their answer is still to come.
  const std::shared_ptr<asio::io_context>& shared_context() const { return context_; }
  // Returns the connections of this worker, open or announced.
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }

  // Announces a connection that will be added. Call this on the acceptor's thread.
  void reserve() { load_.fetch_add(1, std::memory_order_relaxed); }

  // Thread-safety: this and all functions below, the worker's thread.
  void add(std::shared_ptr<Connection> connection);
  void remove(const std::shared_ptr<Connection>& connection);
  void release() { load_.fetch_sub(1, std::memory_order_relaxed); }
  std::string_view date();
  // Responses are composed here. The connection keeps only what the kernel does not take at once.
  std::string& scratch() { return scratch_; }
  // Where bytes of a large body arrive, before the body's memory grows.
  std::span<char> landing() { return landing_; }
  // The size of the buffers for requests under way.
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
