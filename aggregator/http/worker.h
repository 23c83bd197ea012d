// What the connections of one thread share, and what all threads of a server share.
#pragma once

#include "aggregator/http/asio_types.h"  // first: see there

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>

#include "aggregator/http/server.h"
#include "aggregator/http/tls.h"
#include "common/base/clock.h"

namespace hearsay::aggregator {

// Relaxed atomics: each counter is right by itself, a snapshot of all is only nearly simultaneous.
struct AtomicCounters {
  std::atomic<std::uint64_t> connections_accepted = 0;
  std::atomic<std::uint64_t> connections_refused = 0;
  std::atomic<std::uint64_t> handshakes = 0;
  std::atomic<std::uint64_t> handshakes_failed = 0;
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> requests_refused = 0;
};

inline void count(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

// The connections that exist, for the limit and for draining.
class OpenConnections {
 public:
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  void add() { size_.fetch_add(1, std::memory_order_relaxed); }
  void remove();
  // Blocks until none is left; false if `limit` passes first.
  bool wait_for_none(std::chrono::milliseconds limit);

 private:
  std::atomic<std::size_t> size_ = 0;
  std::mutex mutex_;
  std::condition_variable none_left_;
};

// Lives as long as the threads do.
struct ServerState {
  HttpServerOptions options;
  HttpHandler handler;
  CurrentTls tls;
  AtomicCounters counters;
  OpenConnections open;
  std::atomic<bool> stopping = false;
};

// A connection as its worker sees it. Everything happens on the worker's thread.
class Connection {
 public:
  virtual ~Connection() = default;
  // Closes now if no request is in progress, else after its response.
  virtual void begin_drain() = 0;
  // Closes now; an answer still to come is dropped.
  virtual void abort() = 0;
};

// One io_context and the one thread that runs it. A connection stays with its worker, so its state needs no lock or
// strand.
class Worker {
 public:
  explicit Worker(ServerState& state) : state_(state), context_(std::make_shared<asio::io_context>(1)) {}
  ~Worker() { finish(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Any thread, in this order: start, [drain, abort,] finish.
  void start();
  void drain();
  void abort();
  // Joins the thread as soon as nothing is left to do.
  void finish();

  ServerState& state() { return state_; }
  const std::shared_ptr<asio::io_context>& context() const { return context_; }
  // Connections of this worker, open or about to be.
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }

  // The acceptor's thread: announces a connection that is going to be added.
  void reserve();
  // The worker's thread.
  void add(Connection* connection) { connections_.insert(connection); }
  void remove(Connection* connection);
  void release();
  std::string_view date();

 private:
  void run();

  ServerState& state_;
  std::shared_ptr<asio::io_context> context_;
  std::optional<asio::executor_work_guard<Executor>> work_;
  std::thread thread_;
  std::atomic<std::size_t> load_ = 0;
  std::unordered_set<Connection*> connections_;
  UnixSeconds date_time_ = 0;
  std::string date_;
};

}  // namespace hearsay::aggregator
