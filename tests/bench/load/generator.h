// A closed-loop load generator: each of N connections sends a request, waits for the answer, and sends the next
// request.
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
  std::uint16_t also_port = 0;  // port of every second connection; 0: all connections use `port`
  std::size_t connections = 1;
  // Number of addresses of 127.0.0.0/8 from which connections come in turn; 0: the system chooses the address.
  std::uint32_t sources = 0;
  double seconds = 5;          // length of the measured time
  double warmup = 0;           // seconds of load before the measured time
  std::uint64_t requests = 0;  // limit of all requests together; 0: no limit
  // Length of the intervals for which the result has latencies of their own; 0: no intervals.
  double interval_seconds = 0;
  double think_seconds = 0;     // pause between an answer and the connection's next request
  double timeout_seconds = 30;  // time limit for a handshake and for an answer
  unsigned attempts = 3;        // times that a request is sent before the request counts as failed
  bool reconnect_each = false;  // every request gets a new connection
  bool resume = false;          // connections resume TLS sessions with tickets
  bool until_refused = false;   // the run ends when no server listens any more
  bool frugal = false;
  bool idle = false;
  bool handshake_only = false;  // as reconnect_each, but without a request: the first TLS ticket counts as the answer
  pid_t server = 0;             // process whose processor time and memory are measured; 0: no process
};

struct Interval {
  double begin = 0;  // seconds from the start of the measured time to the start of the interval
  std::uint64_t requests = 0;
  std::uint64_t p50 = 0, p99 = 0;  // nanoseconds
};

struct LoadResult {
  double seconds = 0;
  // The number of requests that the server answered with 200 or 204 in the measured time. `reports`, `rejected`,
  // `body_bytes` and `latency` are about these requests.
  std::uint64_t requests = 0;
  std::uint64_t reports = 0;
  std::uint64_t rejected = 0;  // reports that answers of status 200 call rejected
  std::uint64_t body_bytes = 0;
  Histogram latency;                            // nanoseconds from the request's first byte to the answer's last byte
  std::map<unsigned, std::uint64_t> statuses;   // numbers of answers in the whole run, by status
  std::map<std::string, std::uint64_t> errors;  // numbers of failures in the whole run, by kind
  std::uint64_t retries = 0;                    // in the whole run
  std::uint64_t established = 0;                // handshakes in the whole run
  std::uint64_t full_handshakes = 0, resumed_handshakes = 0;  // in the measured time
  double own_cpu_seconds = 0;                                 // in the measured time
  ServerUsage server;                                         // in the measured time
  std::vector<Interval> intervals;
  std::uint64_t open_at_end = 0;  // connections
};

class Generator {
 public:
  // The generator calls `ready` once all connections are open (not with reconnect_each). Errors: kInvalidArgument;
  // kLimitExceeded if the process may not open enough files.
  static Result<std::unique_ptr<Generator>> create(const LoadOptions& options, Work& work, std::function<void()> ready);
  ~Generator();

  // Sends requests until the time is over, the work is done, or (with until_refused) no server listens. Then waits for
  // outstanding answers, for about timeout_seconds at most.
  LoadResult run();

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Phase : std::uint8_t { kWaiting, kShaking, kTicket, kReady, kSending, kReceiving, kDone };
  struct Connection {
    TlsSocket socket;
    AnswerReader answer;
    Outgoing request;
    std::string_view rest;
    Time since{};  // start of the latest handshake or request
    Phase phase = Phase::kWaiting;
    bool has_request = false;
    unsigned failures = 0;  // failed attempts of the present request
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
