// What the connections of one thread share, and what all threads of a server share.
#pragma once

#include "aggregator/http/asio_types.h"  // first: see there

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "aggregator/http/readiness.h"
#include "aggregator/http/server.h"
#include "aggregator/http/timer_wheel.h"
#include "aggregator/http/tls.h"
#include "hearsay/clock.h"

namespace hearsay::aggregator {

// Relaxed atomics: each counter is right by itself, a snapshot of all is only nearly simultaneous.
struct AtomicCounters {
  using Counter = std::atomic<std::uint64_t>;
  Counter connections_accepted = 0;
  Counter connections_refused = 0;
  Counter connections_refused_per_address = 0;
  Counter accept_failures = 0;
  Counter handshakes = 0;
  Counter handshakes_resumed = 0;
  Counter handshakes_failed = 0;
  Counter requests = 0;
  Counter requests_refused = 0;
  Counter requests_overload = 0;
  Counter requests_rejected = 0;
  Counter timeouts = 0;
};

inline void count(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

// An address, as far as it is one client's: an IPv4 address, or the first half of an IPv6 one.
using AddressKey = std::array<unsigned char, 9>;

// The connections that exist, for the limits and for draining. Addresses are known as long as they are connected.
class OpenConnections {
 public:
  enum class Refusal { kNone, kTotal, kAddress };

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  // kNone: counted, until remove().
  Refusal add(const AddressKey& address, std::size_t max_total, std::size_t max_per_address);
  void remove(const AddressKey& address);
  // Blocks until none is left; false if `limit` passes first.
  bool wait_for_none(std::chrono::milliseconds limit);

 private:
  std::atomic<std::size_t> size_ = 0;
  std::mutex mutex_;
  std::map<AddressKey, std::size_t> addresses_;
  std::condition_variable none_left_;
};

// A bound on the bytes of all bodies at once.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t limit) : limit_(limit) {}
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  bool take(std::size_t bytes);
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_ = 0;
};

// Lives as long as the threads do.
struct ServerState {
  ServerState(HttpServerOptions given, HttpHandler& handler_given, HttpObserver* observer_given)
      : options(std::move(given)),
        handler(handler_given),
        observer(observer_given),
        bodies(std::make_shared<BodyBudget>(options.max_buffered_bytes)) {}

  const HttpServerOptions options;
  HttpHandler& handler;
  HttpObserver* const observer;
  CurrentTls tls;
  AtomicCounters counters;
  OpenConnections open;
  const std::shared_ptr<BodyBudget> bodies;  // shared with requests that outlive the server
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
  // The answer it waits for has come. Throws nothing.
  virtual void resume() = 0;

 private:
  friend class Answers;
  std::shared_ptr<Connection> next_answered_;
};

// The way of answers from any thread to the connections of one worker. A burst of answers, as after a group commit,
// wakes the worker once. Outlives the worker as long as requests do.
class Answers final : private Readiness::Watcher {
 public:
  // Throws boost::system::system_error.
  Answers();
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  // Any thread. resume() follows on the worker's thread; after close() the connection is only released.
  void push(std::shared_ptr<Connection> connection);
  // Lets the worker hear of answers. Throws boost::system::system_error.
  void attach(Readiness& readiness) { readiness.add(event_, *this); }
  // Nothing is resumed any more.
  void close();

 private:
  void on_ready(bool) override;
  std::shared_ptr<Connection> take_all();

  const int event_;  // an eventfd, which is only written: each write is an edge
  std::mutex mutex_;
  bool closed_ = false;
  std::shared_ptr<Connection> first_;  // a list, in the order of the answers
  Connection* last_ = nullptr;         // while there is a first
};

// One io_context and the one thread that runs it. A connection stays with its worker, so its state needs no lock or
// strand.
class Worker {
 public:
  explicit Worker(ServerState& state);
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
  asio::io_context& context() { return context_; }
  const std::shared_ptr<Answers>& answers() const { return answers_; }
  // Connections of this worker, open or about to be.
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }

  // The acceptor's thread: announces a connection that is going to be added.
  void reserve() { load_.fetch_add(1, std::memory_order_relaxed); }

  // The worker's thread from here on.
  void add(std::shared_ptr<Connection> connection);
  void remove(Connection* connection);
  void release() { load_.fetch_sub(1, std::memory_order_relaxed); }
  TimerWheel& timers() { return timers_; }
  Readiness& readiness() { return readiness_; }
  std::string_view date();
  // A response is composed here, and only what the kernel does not take at once is kept by the connection.
  std::string& scratch() { return scratch_; }
  // Buffers of kInputBytes for requests that are under way.
  static constexpr std::size_t kInputBytes = 4096;
  std::vector<char> take_buffer();
  void give_back(std::vector<char> buffer);

 private:
  void run();
  void schedule_tick();
  void tick();

  ServerState& state_;
  asio::io_context context_{1};
  const std::shared_ptr<Answers> answers_ = std::make_shared<Answers>();
  std::optional<asio::executor_work_guard<Executor>> work_;
  std::thread thread_;
  std::atomic<std::size_t> load_ = 0;
  std::map<Connection*, std::shared_ptr<Connection>> connections_;
  TimerWheel timers_;
  Readiness readiness_;
  SteadyTimer ticker_;
  bool ticking_ = false;
  UnixSeconds date_time_ = 0;
  std::string date_;
  std::string scratch_;
  std::vector<std::vector<char>> buffers_;
};

}  // namespace hearsay::aggregator
