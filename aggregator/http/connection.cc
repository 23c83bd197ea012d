// The steps, waits, deadlines and end of a connection. connection_requests.cc has the requests and answers.

#include "aggregator/http/connection.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace hearsay::http {

namespace {

using std::chrono::milliseconds;
using Kind = IoResult::Kind;

constexpr int kStepsInARow = 64;  // before other connections have their turn

}  // namespace

Connection::Connection(Worker& worker, TcpSocket socket, const TlsContext& tls, const Peer& peer,
                       SteadyClock::time_point accepted)
    : context_(worker.shared_context()),
      worker_(worker),
      state_(worker.state()),
      options_(state_.options),
      address_(peer.key),
      proxy_header_(peer.is_balancer ? std::make_unique<ProxyHeaderReader>() : nullptr),
      socket_(std::move(socket)),
      transport_(socket_.native_handle(), tls.get()),
      reader_(worker, transport_, address_),
      since_(accepted),
      timer_(socket_.get_executor(), SteadyClock::time_point::max()),
      answer_share_(state_.memory, address_, MemoryBudget::Use::kAnswer) {
  socket_.native_non_blocking(true);
}

void Connection::start() {
  enter(proxy_header_ ? Phase::kProxyHeader : Phase::kHandshake, options_.handshake_timeout);
  worker_.add(shared_from_this());
  drive();
}

// May be called at any time: a step that has nothing to do waits again.
void Connection::drive() {
  const auto self = shared_from_this();  // finish() may drop the last other reference
  try {
    for (int steps = 0; !finished_; ++steps) {
      switch (steps < kStepsInARow ? step() : Next::kYield) {
        case Next::kAgain:
          break;
        case Next::kYield:
          return asio::post(*context_, [self] { self->drive(); });
        case Next::kWaitRead:
          return wait(asio::socket_base::wait_read);
        case Next::kWaitWrite:
          return wait(asio::socket_base::wait_write);
        case Next::kWaitAnswer:
          return;
        case Next::kEnd:
          return finish();
      }
    }
  } catch (...) {  // out of memory
    finish();
  }
}

// If a deadline or a drain makes the connection go on, the wait is not cancelled. The wait then calls drive() once more
// than needed.
void Connection::wait(asio::socket_base::wait_type type) {
  bool& waiting = type == asio::socket_base::wait_read ? waiting_to_read_ : waiting_to_write_;
  if (std::exchange(waiting, true)) return;
  socket_.async_wait(type, [self = shared_from_this(), &waiting](const error_code&) {
    waiting = false;
    self->drive();
  });
}

Connection::Next Connection::step() {
  switch (phase_) {
    case Phase::kProxyHeader:
      return read_proxy_header();
    case Phase::kHandshake:
      return shake_hands();
    case Phase::kIdle:
    case Phase::kHead:
      return read_head();
    case Phase::kBody:
      return read_body();
    case Phase::kHandling:
      return take_answer();
    case Phase::kWriting:
      return write();
    case Phase::kDiscard:
      return discard_body();
    case Phase::kClosing:
      return close();
    case Phase::kLinger:
      return linger();
  }
  return Next::kEnd;
}

void Connection::finish() {
  if (std::exchange(finished_, true)) return;
  const auto self = shared_from_this();
  if (proxy_header_ && !state_.stopping) state_.counters.proxy_headers_refused.increment();
  if (phase_ == Phase::kHandshake && transport_.is_tls()) state_.counters.handshakes_failed.increment();
  error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
  // In kHandling, the handler has views into the buffer.
  if (phase_ != Phase::kHandling) reader_.release_buffer();
  {
    const std::lock_guard lock(stop_mutex_);
    gone_ = true;
  }
  request_stop();
  state_.open.remove(address_);
  worker_.remove(self);
}

// A peer that sends no valid header is not the expected balancer, so it gets no answer.
Connection::Next Connection::read_proxy_header() {
  const IoResult result = transport_.read_ahead(proxy_header_->missing());
  if (result.kind != Kind::kDone) return result.kind == Kind::kWantRead ? Next::kWaitRead : Next::kEnd;
  switch (proxy_header_->take(result.bytes)) {
    case ProxyHeaderReader::State::kIncomplete:
      return Next::kAgain;
    case ProxyHeaderReader::State::kMalformed:
      return Next::kEnd;
    case ProxyHeaderReader::State::kComplete:
      break;
  }
  const auto client = proxy_header_->client();
  proxy_header_.reset();
  if (client) {
    const AddressKey key = state_.limited_key(*client);
    if (!state_.open.move_to(key, options_.max_connections_per_address)) {
      state_.counters.connections_refused_per_address.increment();
      return Next::kEnd;
    }
    address_ = key;
    reader_.set_address(key);
    answer_share_.set_address(key);
  }
  enter(Phase::kHandshake, options_.handshake_timeout);
  return Next::kAgain;
}

Connection::Next Connection::shake_hands() {
  // Draining may have begun between the accept and this moment.
  if (state_.stopping.load(std::memory_order_relaxed)) return Next::kEnd;
  const IoResult result = transport_.handshake();
  if (result.kind != Kind::kDone) return want(result.kind);
  if (transport_.is_tls()) {
    state_.counters.handshakes.increment();
    if (transport_.is_resumed()) state_.counters.handshakes_resumed.increment();
    stage_done(&HttpObserver::handshaken);
  }
  enter(Phase::kIdle, options_.first_byte_timeout);
  return Next::kAgain;
}

// Begins to close the connection so that the client still gets the last response. If the socket were closed with unread
// bytes, the kernel would send a reset, which can overtake the response.
Connection::Next Connection::begin_close(milliseconds linger) {
  linger_ = linger;
  enter(Phase::kClosing, linger_);
  return Next::kAgain;
}

Connection::Next Connection::close() {
  const IoResult result = transport_.close_writing();
  if (result.kind != Kind::kDone) return want(result.kind);
  enter(Phase::kLinger, linger_);
  return Next::kAgain;
}

Connection::Next Connection::linger() {
  const IoResult result = transport_.discard();
  return result.kind == Kind::kDone ? Next::kAgain : result.kind == Kind::kWantRead ? Next::kWaitRead : Next::kEnd;
}

Connection::Next Connection::want(IoResult::Kind kind) {
  if (kind == Kind::kWantRead) return Next::kWaitRead;
  if (kind == Kind::kWantWrite) return Next::kWaitWrite;
  if (kind == Kind::kPaused) return Next::kYield;
  // The client is gone. If the client closed in order, the connection closes in order, too.
  const bool reading = phase_ == Phase::kIdle || phase_ == Phase::kHead || phase_ == Phase::kBody;
  return kind == Kind::kEnd && reading ? begin_close(kHangUpTimeout) : Next::kEnd;
}

void Connection::begin_drain() {
  if (phase_ == Phase::kProxyHeader || phase_ == Phase::kHandshake) return finish();
  if (phase_ == Phase::kIdle) drive();
}

// Most deadlines are postponed before they are reached. To save work, enter() then changes only deadline_. If the timer
// expires before the deadline, on_timer() arms the timer again.
void Connection::enter(Phase phase, milliseconds timeout, SteadyClock::time_point now) {
  phase_ = phase;
  deadline_ = timeout == milliseconds::max() ? SteadyClock::time_point::max() : now + timeout;
  if (deadline_ < timer_.expiry()) arm_timer();
}

// The timer does not keep the connection alive.
void Connection::arm_timer() {
  timer_.expires_at(deadline_);
  timer_.async_wait([waiting = weak_from_this()](const error_code& error) {
    const auto self = waiting.lock();
    if (self && !self->finished_ && !error) self->on_timer();
  });
}

void Connection::on_timer() {
  try {
    timer_.expires_at(SteadyClock::time_point::max());
    if (deadline_ == SteadyClock::time_point::max()) return;
    if (deadline_ > SteadyClock::now()) return arm_timer();
    if (phase_ == Phase::kHandling) return drive();  // to check again whether the client is gone
    state_.counters.timeouts.increment();
    end_phase();
  } catch (...) {  // out of memory
    finish();
  }
}

void Connection::end_phase() {
  switch (phase_) {
    case Phase::kHead:
    case Phase::kBody: {
      const Next next = refuse({408, {ErrorCode::kTimedOut, "the request took too long"}});
      return next == Next::kEnd ? finish() : drive();
    }
    case Phase::kIdle:
      begin_close(kHangUpTimeout);
      return drive();
    default:
      return finish();
  }
}

void Connection::stage_done(void (HttpObserver::*stage)(std::chrono::nanoseconds)) {
  const auto now = SteadyClock::now();
  const auto took = now - std::exchange(since_, now);
  if (state_.observer != nullptr) (state_.observer->*stage)(took);
}

}  // namespace hearsay::http
