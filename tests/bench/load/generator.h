// A closed-loop load generator: each of N connections asks, waits for the answer, and asks again.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "tests/bench/load/answer.h"
#include "tests/bench/load/histogram.h"
#include "tests/bench/load/tls_socket.h"
#include "tests/bench/load/usage.h"
#include "tests/bench/load/work.h"

namespace hearsay::load {

struct LoadOptions {
  std::uint32_t host = 0;  // network order
  std::uint16_t port = 0;
  std::uint16_t also_port = 0;  // every second connection goes to this port; 0: none does
  std::size_t connections = 1;
  // Connections come in turn from this many addresses of 127.0.0.0/8; 0: the system chooses.
  std::uint32_t sources = 0;
  double seconds = 5;          // the measured time
  double warmup = 0;           // time before the measured time
  std::uint64_t requests = 0;  // the most requests in all; 0: no limit
  // Length of the intervals of the measured time that have latencies of their own; 0: none.
  double interval_seconds = 0;
  double think_seconds = 0;     // pause between an answer and the connection's next request
  double timeout_seconds = 30;  // time limit for a handshake and for an answer
  unsigned attempts = 3;        // attempts to send one request before it counts as failed
  bool reconnect_each = false;  // opens a new connection for every request
  bool resume = false;          // resumes TLS sessions with tickets
  bool until_refused = false;   // ends when no server listens any more
  bool frugal = false;
  bool idle = false;            // sends no request
  bool handshake_only = false;  // reconnect_each, but the first TLS ticket counts as the answer
  pid_t server = 0;             // process whose use of the processor is measured; 0: none
};

struct Interval {
  double begin = 0;  // when the interval begins, in seconds of the measured time
  std::uint64_t requests = 0;
  std::uint64_t p50 = 0, p99 = 0;  // nanoseconds
};

struct LoadResult {
  double seconds = 0;
  // The number of requests that the server answered with 200 or 204 in the measured time. The next four members are
  // about these requests.
  std::uint64_t requests = 0;
  std::uint64_t reports = 0;
  std::uint64_t rejected = 0;  // rejected reports in answers of status 200
  std::uint64_t body_bytes = 0;
  Histogram latency;  // of successful requests, in nanoseconds, from the request's first byte to the answer's last byte
  std::map<unsigned, std::uint64_t> statuses;                 // answers of the whole run, by status
  std::map<std::string, std::uint64_t> errors;                // failures of the whole run, by kind
  std::uint64_t retries = 0;                                  // of the whole run
  std::uint64_t established = 0;                              // handshakes of the whole run
  std::uint64_t full_handshakes = 0, resumed_handshakes = 0;  // in the measured time
  double own_cpu_seconds = 0;                                 // in the measured time
  ServerUsage server;                                         // in the measured time
  std::vector<Interval> intervals;
  std::uint64_t open_at_end = 0;  // connections
};

class Generator {
 public:
  // Calls `ready` once all connections are open (not with reconnect_each). Errors: kInvalidArgument, kLimitExceeded if
  // the process may not open so many files.
  static Result<std::unique_ptr<Generator>> create(const LoadOptions& options, Work& work, std::function<void()> ready);
  ~Generator();

  // Runs until the time is over, the work is done, or (with until_refused) nobody listens. Then waits for answers under
  // way, for at most timeout_seconds.
  LoadResult run();

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Phase : std::uint8_t { kWaiting, kShaking, kTicket, kReady, kSending, kReceiving, kDone };
  struct Connection {
    TlsSocket socket;
    AnswerReader answer;
    Outgoing request;
    std::string_view rest;  // the part of the request that is not sent yet
    Time since{};           // when the present phase began
    Phase phase = Phase::kWaiting;
    bool has_request = false;
    unsigned failures = 0;  // of the present request
  };
  struct Alarm {
    Time at;
    std::size_t index;
    bool operator>(const Alarm& other) const { return at > other.at; }
  };

  Generator(const LoadOptions& options, Work& work, std::function<void()> ready);
  bool over() const;
  int wait_milliseconds(Time now) const;
  void move_clock(Time now);
  void ring_alarms(Time now);
  void cut_slow_ones(Time now);
  void begin_window();
  void end_interval(Time now);
  void end_window();

  void connect(Connection& connection);
  void step(Connection& connection);
  void shake(Connection& connection);
  void await_ticket(Connection& connection);
  void ask(Connection& connection);
  void send(Connection& connection);
  void receive(Connection& connection);
  void finish(Connection& connection);
  void settle(Connection& connection, std::uint64_t latency);
  void fail(Connection& connection, const char* kind);
  void rest_until(Connection& connection, Time at);
  void retire(Connection& connection);

  LoadOptions options_;
  Work& work_;
  std::function<void()> ready_;
  std::unique_ptr<TlsContext> context_;
  std::vector<Connection> connections_;
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  std::vector<char> buffer_;
  int epoll_ = -1;
  LoadResult result_;
  Time deadline_{}, window_begin_{}, last_sweep_{};
  Usage usage_at_begin_;
  Time interval_begin_{};
  Histogram interval_latency_;
  std::uint64_t asked_ = 0;
  std::size_t shaking_ = 0, standing_ = 0, next_to_connect_ = 0, active_ = 0;
  bool all_stood_ = false, measuring_ = false, stopping_ = false, refused_ = false;
};

}  // namespace hearsay::load
