#include "tests/bench/load/generator.h"

#include "common/base/strict_json.h"

#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace hearsay::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMaxShaking = 64;  // handshakes at the same time
constexpr std::size_t kReadBuffer = 64 * 1024;
constexpr milliseconds kReconnectDelay(20);
constexpr milliseconds kMaxRetryDelay(1000);
constexpr milliseconds kSweep(250);

steady_clock::duration of_seconds(double seconds) {
  return std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
}

Result<void> allow_files(std::size_t count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < count + 64)
    return Error{ErrorCode::kLimitExceeded,
                 "the process may not open so many connections: raise the limit on open files (ulimit -n)"};
  return {};
}

}  // namespace

Result<std::unique_ptr<Generator>> Generator::create(const LoadOptions& options, Work& work,
                                                     std::function<void()> ready) {
  if (options.connections == 0) return Error{ErrorCode::kInvalidArgument, "no connection"};
  if (auto allowed = allow_files(options.connections); !allowed) return allowed.error();
  auto context = TlsContext::create(options.frugal);
  if (!context) return context.error();
  std::unique_ptr<Generator> made(new Generator(options, work, std::move(ready)));
  made->context_ = std::move(context).value();
  made->epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (made->epoll_ < 0) return Error{ErrorCode::kInternal, "no epoll"};
  return made;
}

Generator::Generator(const LoadOptions& options, Work& work, std::function<void()> ready)
    : options_(options),
      work_(work),
      ready_(std::move(ready)),
      connections_(options.connections),
      buffer_(kReadBuffer) {}

Generator::~Generator() {
  if (epoll_ >= 0) close(epoll_);
}

bool Generator::over() const { return refused_ || active_ == 0; }

LoadResult Generator::run() {
  std::array<epoll_event, 256> events{};
  active_ = connections_.size();
  last_sweep_ = steady_clock::now();
  all_stood_ = options_.reconnect_each;
  deadline_ = last_sweep_ + of_seconds(options_.timeout_seconds + 0.01 * static_cast<double>(connections_.size()));
  if (all_stood_) begin_window();
  while (!over()) {
    while (next_to_connect_ < connections_.size() && shaking_ < kMaxShaking) connect(connections_[next_to_connect_++]);
    const int count = epoll_wait(epoll_, events.data(), events.size(), wait_milliseconds(steady_clock::now()));
    for (int i = 0; i < count && !over(); ++i) step(connections_[events[static_cast<std::size_t>(i)].data.u64]);
    move_clock(steady_clock::now());
  }
  end_window();
  for (const Connection& connection : connections_) result_.open_at_end += connection.phase == Phase::kReady ? 1 : 0;
  return std::move(result_);
}

int Generator::wait_milliseconds(Time now) const {
  if (alarms_.empty()) return static_cast<int>(kSweep.count());
  const auto left = std::chrono::ceil<milliseconds>(alarms_.top().at - now);
  return static_cast<int>(std::clamp(left, milliseconds(0), kSweep).count());
}

void Generator::move_clock(Time now) {
  ring_alarms(now);
  if (!all_stood_ && standing_ == connections_.size()) {
    all_stood_ = true;
    if (ready_) ready_();
    begin_window();
    for (Connection& connection : connections_) {
      if (connection.phase == Phase::kReady && !options_.idle) ask(connection);
    }
  }
  if (now - last_sweep_ >= kSweep) {
    last_sweep_ = now;
    cut_slow_ones(now);
  }
  if (all_stood_ && !measuring_ && !stopping_ && now >= window_begin_) {
    measuring_ = true;
    window_begin_ = interval_begin_ = now;
    usage_at_begin_ = usage_now(options_.server);
    deadline_ = now + of_seconds(options_.seconds);
  }
  if (now < deadline_) {
    const auto interval = of_seconds(options_.interval_seconds);
    if (measuring_ && interval.count() > 0 && now - interval_begin_ >= interval) end_interval(now);
    return;
  }
  if (!stopping_) {
    if (!all_stood_) ++result_.errors["some connections were not open in time"];
    end_window();
    stopping_ = true;
    deadline_ = now + of_seconds(options_.timeout_seconds + 1);
    for (Connection& connection : connections_) {
      const bool shaking = connection.phase == Phase::kShaking || connection.phase == Phase::kTicket;
      if (!connection.has_request && !shaking) retire(connection);
    }
  } else {
    result_.errors["unfinished"] += active_;
    active_ = 0;
  }
}

void Generator::begin_window() {
  window_begin_ = steady_clock::now() + of_seconds(options_.warmup);
  deadline_ = window_begin_ + of_seconds(options_.seconds);
}

void Generator::end_interval(Time now) {
  const double begin = std::chrono::duration<double>(interval_begin_ - window_begin_).count();
  result_.intervals.push_back(
      {begin, interval_latency_.count(), interval_latency_.quantile(0.5), interval_latency_.quantile(0.99)});
  interval_begin_ = now;
  interval_latency_ = {};
}

void Generator::end_window() {
  if (!measuring_) return;
  measuring_ = false;
  if (options_.interval_seconds > 0) end_interval(steady_clock::now());
  const Usage usage = usage_now(options_.server);
  result_.seconds = std::chrono::duration<double>(steady_clock::now() - window_begin_).count();
  result_.own_cpu_seconds = usage.own_cpu_seconds - usage_at_begin_.own_cpu_seconds;
  result_.server.cpu_seconds = usage.server.cpu_seconds - usage_at_begin_.server.cpu_seconds;
  result_.server.resident_bytes = usage.server.resident_bytes;
}

void Generator::ring_alarms(Time now) {
  while (!alarms_.empty() && alarms_.top().at <= now) {
    Connection& connection = connections_[alarms_.top().index];
    alarms_.pop();
    if (connection.phase == Phase::kWaiting) {
      connect(connection);
    } else if (connection.phase == Phase::kReady) {
      ask(connection);
    }
  }
}

void Generator::cut_slow_ones(Time now) {
  const auto limit = of_seconds(options_.timeout_seconds);
  for (Connection& connection : connections_) {
    if (now - connection.since < limit) continue;
    if (connection.phase == Phase::kShaking || connection.phase == Phase::kTicket) {
      fail(connection, "handshake timeout");
    } else if (connection.phase == Phase::kSending || connection.phase == Phase::kReceiving) {
      fail(connection, "answer timeout");
    }
  }
}

void Generator::connect(Connection& connection) {
  const auto index = static_cast<std::size_t>(&connection - connections_.data());
  if (stopping_ && !connection.has_request) return retire(connection);
  sockaddr_in server{};
  server.sin_family = AF_INET;
  server.sin_port = htons(options_.also_port != 0 && index % 2 == 1 ? options_.also_port : options_.port);
  server.sin_addr.s_addr = options_.host;
  std::uint32_t source = 0;
  if (options_.sources != 0) source = htonl((127U << 24U) + 1 + static_cast<std::uint32_t>(index) % options_.sources);
  connection.since = steady_clock::now();
  connection.phase = Phase::kShaking;
  ++shaking_;
  const int failure = connection.socket.begin(*context_, server, source, options_.resume);
  if (failure != 0) {
    refused_ = refused_ || (failure == ECONNREFUSED && options_.until_refused);
    return fail(connection, failure == ECONNREFUSED ? "refused" : "connect");
  }
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = index;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.socket.descriptor(), &event) != 0) return fail(connection, "connect");
  shake(connection);
}

void Generator::step(Connection& connection) {
  switch (connection.phase) {
    case Phase::kShaking:
      return shake(connection);
    case Phase::kTicket:
      return await_ticket(connection);
    case Phase::kSending:
      return send(connection);
    case Phase::kReceiving:
      return receive(connection);
    case Phase::kReady: {
      std::size_t got = 0;
      const TlsSocket::Step step = connection.socket.read(buffer_, got);
      if (step != TlsSocket::Step::kAgain) fail(connection, step == TlsSocket::Step::kDone ? "unasked" : "closed idle");
      return;
    }
    case Phase::kWaiting:
    case Phase::kDone:
      return;
  }
}

void Generator::shake(Connection& connection) {
  const TlsSocket::Step step = connection.socket.handshake();
  if (step == TlsSocket::Step::kAgain) return;
  if (step != TlsSocket::Step::kDone) {
    refused_ = refused_ || (errno == ECONNREFUSED && options_.until_refused);
    return fail(connection, errno == ECONNREFUSED ? "refused" : "handshake");
  }
  --shaking_;
  ++standing_;
  ++result_.established;
  if (measuring_) ++(connection.socket.resumed() ? result_.resumed_handshakes : result_.full_handshakes);
  if (options_.handshake_only) {
    connection.phase = Phase::kTicket;
    return await_ticket(connection);
  }
  connection.phase = Phase::kReady;
  if (options_.idle) return;
  if (all_stood_ || connection.has_request) ask(connection);
}

// The server sends its first ticket when the server has finished the handshake.
void Generator::await_ticket(Connection& connection) {
  const std::uint64_t before = context_->tickets();
  std::size_t got = 0;
  const TlsSocket::Step step = connection.socket.read(buffer_, got);
  if (context_->tickets() == before) {
    if (step != TlsSocket::Step::kAgain) fail(connection, "no ticket");
    return;
  }
  ++asked_;
  if (measuring_) {
    const auto latency = steady_clock::now() - connection.since;
    ++result_.requests;
    result_.latency.record(static_cast<std::uint64_t>(std::chrono::nanoseconds(latency).count()));
  }
  connection.socket.close();
  connection.phase = Phase::kWaiting;
  --standing_;
  if (stopping_ || (options_.requests != 0 && asked_ >= options_.requests)) return retire(connection);
  rest_until(connection, steady_clock::now() + of_seconds(options_.think_seconds));
}

void Generator::ask(Connection& connection) {
  if (!connection.has_request) {
    if (stopping_ || (options_.requests != 0 && asked_ == options_.requests) || !work_.next(connection.request)) {
      return retire(connection);
    }
    ++asked_;
    connection.has_request = true;
    connection.failures = 0;
  }
  connection.answer.reset();
  connection.rest = connection.request.bytes;
  connection.since = steady_clock::now();
  connection.phase = Phase::kSending;
  send(connection);
}

void Generator::send(Connection& connection) {
  const TlsSocket::Step step = connection.socket.write(connection.rest);
  if (step == TlsSocket::Step::kDone) {
    // The answer has hardly ever arrived at this moment, so the read waits for epoll.
    connection.phase = Phase::kReceiving;
    return;
  }
  // A server may answer before it has read the whole request, and then close the connection.
  receive(connection);
}

void Generator::receive(Connection& connection) {
  for (;;) {
    std::size_t got = 0;
    const TlsSocket::Step step = connection.socket.read(buffer_, got);
    if (step == TlsSocket::Step::kAgain) return;
    if (step != TlsSocket::Step::kDone)
      return fail(connection, connection.answer.begun() ? "answer cut off" : "closed");
    switch (connection.answer.take({buffer_.data(), got})) {
      case AnswerReader::State::kMore:
        continue;
      case AnswerReader::State::kMalformed:
        return fail(connection, "malformed answer");
      case AnswerReader::State::kComplete:
        return finish(connection);
    }
  }
}

void Generator::finish(Connection& connection) {
  const Time now = steady_clock::now();
  const auto latency = std::chrono::duration_cast<std::chrono::nanoseconds>(now - connection.since).count();
  const unsigned status = connection.answer.status();
  ++result_.statuses[status];
  const bool ended = options_.reconnect_each || connection.answer.closes() || !connection.rest.empty();
  if (ended) {
    connection.socket.close();
    --standing_;
  }
  connection.phase = ended ? Phase::kWaiting : Phase::kReady;
  if (status == 503 && ++connection.failures < options_.attempts && !stopping_) {
    ++result_.retries;
    const milliseconds wanted(1000 * connection.answer.retry_after_seconds());
    return rest_until(connection, now + std::clamp(wanted, kReconnectDelay, kMaxRetryDelay));
  }
  settle(connection, static_cast<std::uint64_t>(latency));
  if (options_.think_seconds > 0 && !stopping_) return rest_until(connection, now + of_seconds(options_.think_seconds));
  if (ended) {
    connect(connection);
  } else {
    ask(connection);
  }
}

void Generator::settle(Connection& connection, std::uint64_t latency) {
  const unsigned status = connection.answer.status();
  work_.answered(connection.request, status, connection.answer.body());
  connection.has_request = false;
  if (!measuring_ || (status != 200 && status != 204)) return;
  ++result_.requests;
  result_.latency.record(latency);
  if (options_.interval_seconds > 0) interval_latency_.record(latency);
  const std::uint64_t rejected = status == 204 ? 0 : count_in(connection.answer.body(), "rejected", 0);
  result_.rejected += rejected;
  result_.reports += connection.request.reports - std::min(rejected, connection.request.reports);
  result_.body_bytes += connection.request.bytes.size() - connection.request.body_at;
}

// Closes the connection. A request under way is sent again on a new connection, at most options.attempts times in all.
void Generator::fail(Connection& connection, const char* kind) {
  ++result_.errors[kind];
  if (connection.phase == Phase::kShaking) {
    --shaking_;
  } else {
    --standing_;
  }
  connection.socket.close();
  connection.phase = Phase::kWaiting;
  if (connection.has_request) {
    if (++connection.failures < options_.attempts) {
      ++result_.retries;
    } else {
      ++result_.errors["given up"];
      connection.has_request = false;
    }
  }
  rest_until(connection, steady_clock::now() + kReconnectDelay);
}

void Generator::rest_until(Connection& connection, Time at) {
  alarms_.push({at, static_cast<std::size_t>(&connection - connections_.data())});
}

void Generator::retire(Connection& connection) {
  if (connection.phase == Phase::kDone) return;
  if (connection.phase != Phase::kReady || !options_.idle) connection.socket.close();
  connection.phase = connection.phase == Phase::kReady && options_.idle ? Phase::kReady : Phase::kDone;
  --active_;
}

}  // namespace hearsay::load
