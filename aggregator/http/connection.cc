// A connection is a state machine: drive() takes steps until one has to wait, for the socket, for the handler's answer
// or for nothing any more. It runs on the worker's thread only; nothing but settle() is called from elsewhere.

#include "aggregator/http/connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "aggregator/http/answer_slot.h"
#include "aggregator/http/problem.h"
#include "aggregator/http/request_buffer.h"
#include "aggregator/http/request_parser.h"
#include "aggregator/http/response_writer.h"
#include "aggregator/http/transport.h"

namespace hearsay::aggregator {

namespace {

using std::chrono::milliseconds;
using SteadyClock = TimerWheel::Clock;
using Kind = IoResult::Kind;

constexpr std::size_t kStepBytes = 256 << 10;    // what body_timeout and write_timeout are for
constexpr std::size_t kDiscardBytes = 64 << 10;  // of a refused request's body, to keep the connection
constexpr std::size_t kKeptBytes = 4096;         // what an idle connection may hold
constexpr int kStepsInARow = 64;                 // before other connections have their turn
constexpr milliseconds kHangUpTimeout{50};       // for a TLS close_notify to leave when no response is under way
constexpr milliseconds kLingerTimeout{1000};     // for the client to read the last response and close
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// From now on the worker's readiness watches it, not Asio.
int release(TcpSocket& socket) {
  socket.native_non_blocking(true);
  return socket.release();
}

class SocketConnection final : public Connection,
                               public HttpClient,
                               private TimerWheel::Entry,
                               private Readiness::Watcher,
                               public std::enable_shared_from_this<SocketConnection> {
 public:
  SocketConnection(Worker& worker, TcpSocket socket, const TlsContext& tls, const AddressKey& address,
                   SteadyClock::time_point accepted)
      : answers_(worker.answers()),
        worker_(worker),
        state_(worker.state()),
        options_(state_.options),
        address_(address),
        transport_(release(socket), tls.get()),
        buffer_(worker, transport_),
        since_(accepted) {}

  void start() {
    worker_.readiness().add(transport_.socket().fd(), *this);
    worker_.add(shared_from_this());
    enter(Phase::kHandshake, options_.handshake_timeout);
    drive();
  }

  void begin_drain() override;
  void abort() override { finish(); }
  void resume() override;

  const HttpRequest& request() const override { return parser_->request(); }
  void settle(std::optional<HttpResponse> response) override { answer_.settle(std::move(response), answers_); }

 private:
  enum class Phase { kHandshake, kIdle, kHead, kBody, kChunks, kHandling, kWriting, kDiscard, kClosing, kLinger };
  enum class Next { kAgain, kYield, kReady, kAnswer, kEnd };

  void on_ready(bool suspect) override;
  void drive();
  Next step();
  void finish();

  // One step of each phase.
  Next shake_hands();
  Next read_head();
  Next read_body();
  Next read_chunked();
  Next write();
  Next discard_body();
  Next close();
  Next linger();

  Next take_head();
  Next expect_body();
  Next dispatch();
  Next take_answer();
  Next refuse(const Refusal& refusal);
  Next overloaded();
  Next respond(HttpResponse response, bool keep_alive);
  Next send(std::string_view bytes);
  Next written();
  Next next_request();
  Next begin_close(milliseconds linger);
  Next want(IoResult::Kind kind);

  void begin_head();
  void enter(Phase phase, milliseconds timeout, SteadyClock::time_point now = SteadyClock::now());
  void on_deadline() override;
  void end_phase();
  // A stage that began at since_ is over, and the next one begins.
  void stage_done(void (HttpObserver::*stage)(std::chrono::nanoseconds));

  // What a request needs that outlives its server comes first.
  const std::shared_ptr<Answers> answers_;

  Worker& worker_;
  ServerState& state_;
  const HttpServerOptions& options_;
  const AddressKey address_;
  Transport transport_;
  RequestBuffer buffer_;

  Phase phase_ = Phase::kHandshake;
  SteadyClock::time_point since_;  // when the present stage began
  bool waiting_ = false;           // for the socket to be ready
  bool finished_ = false;

  // The request, whose views are into the buffer and the parser, and its answer.
  HeadScanner scanner_;
  std::optional<RequestParser> parser_;
  AnswerSlot answer_;

  std::string out_;  // what is left to be written
  std::size_t out_sent_ = 0;
  std::size_t discard_left_ = 0;
  bool continuing_ = false;  // it is "100 Continue" that is written
  bool keep_alive_ = false;
  milliseconds linger_ = kLingerTimeout;
};

void SocketConnection::on_ready(bool suspect) {
  transport_.socket().set_ready(suspect);
  if (waiting_) drive();
}

void SocketConnection::drive() {
  const auto self = shared_from_this();  // finish() may drop the last other reference
  waiting_ = false;
  try {
    for (int steps = 0; !finished_; ++steps) {
      switch (steps < kStepsInARow ? step() : Next::kAgain) {
        case Next::kAgain:
          if (steps < kStepsInARow) break;
          [[fallthrough]];
        case Next::kYield:
          return asio::post(worker_.context(), [self] { self->drive(); });
        case Next::kReady:
          waiting_ = true;
          return;
        case Next::kAnswer:
          return;
        case Next::kEnd:
          return finish();
      }
    }
  } catch (...) {  // out of memory
    finish();
  }
}

SocketConnection::Next SocketConnection::step() {
  switch (phase_) {
    case Phase::kHandshake:
      return shake_hands();
    case Phase::kIdle:
    case Phase::kHead:
      return read_head();
    case Phase::kBody:
      return read_body();
    case Phase::kChunks:
      return read_chunked();
    case Phase::kHandling:
      return Next::kAnswer;
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

void SocketConnection::finish() {
  if (std::exchange(finished_, true)) return;
  const auto self = shared_from_this();
  if (phase_ == Phase::kHandshake && transport_.is_tls()) count(state_.counters.handshakes_failed);
  worker_.readiness().remove(transport_.socket().fd(), *this);
  transport_.socket().close();
  worker_.timers().remove(*this);
  if (phase_ != Phase::kHandling) buffer_.give_back();
  state_.open.remove(address_);
  worker_.remove(this);
}

SocketConnection::Next SocketConnection::shake_hands() {
  // Draining may have begun between the accept and this moment.
  if (state_.stopping.load(std::memory_order_relaxed)) return Next::kEnd;
  const IoResult result = transport_.handshake();
  if (result.kind != Kind::kDone) return want(result.kind);
  if (transport_.is_tls()) {
    count(state_.counters.handshakes);
    if (transport_.is_resumed()) count(state_.counters.handshakes_resumed);
    stage_done(&HttpObserver::handshaken);
  }
  enter(Phase::kIdle, options_.first_byte_timeout);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::read_head() {
  const HeadScanner::State state = scanner_.scan(buffer_.unused());
  if (state == HeadScanner::State::kMalformed) {
    return refuse({400, {ErrorCode::kInvalidArgument, "malformed HTTP header"}});
  }
  if (scanner_.end() > options_.max_header_bytes) {
    return refuse({431,
                   {ErrorCode::kLimitExceeded,
                    "the header is larger than " + std::to_string(options_.max_header_bytes) + " bytes"}});
  }
  if (state == HeadScanner::State::kComplete) return take_head();

  const bool idle = buffer_.empty();
  const bool stopping = idle && state_.stopping.load(std::memory_order_relaxed);
  IoResult result{Kind::kWantRead};
  if (stopping || buffer_.may_read()) result = buffer_.read_head();
  if (result.kind == Kind::kDone) {
    if (phase_ == Phase::kIdle) begin_head();
    return Next::kAgain;
  }
  if (result.kind != Kind::kWantRead) return want(result.kind);
  if (stopping) return begin_close(kHangUpTimeout);
  if (idle) buffer_.give_back();
  return Next::kReady;
}

SocketConnection::Next SocketConnection::take_head() {
  parser_.emplace(options_.max_body_bytes);
  const bool accepted = parser_->put_head(scanner_.head(buffer_.unused()));
  buffer_.use_up(scanner_.end());
  if (!accepted) return refuse(*parser_->refusal());
  if (auto refused = state_.handler.admit(parser_->request())) {
    count(state_.counters.requests_rejected);
    const std::size_t size = parser_->body_size().value_or(0);
    const bool small = size <= kDiscardBytes && !parser_->expects_continue();
    discard_left_ = small ? size : 0;
    return respond(*std::move(refused), parser_->keep_alive() && (discard_left_ > 0 || parser_->is_done()));
  }
  if (parser_->is_done()) return dispatch();
  return expect_body();
}

SocketConnection::Next SocketConnection::expect_body() {
  // A client that sends without having been asked has not waited.
  const bool ask = parser_->expects_continue() && buffer_.empty();
  if (!parser_->body_size()) {
    buffer_.expect_chunks();
    enter(Phase::kChunks, options_.body_timeout);
  } else {
    if (!buffer_.expect_body(*parser_->body_size())) return overloaded();
    if (buffer_.has_body()) return dispatch();
    enter(Phase::kBody, options_.body_timeout);
  }
  if (!ask) return Next::kAgain;
  continuing_ = true;
  return send(kContinue);
}

SocketConnection::Next SocketConnection::read_body() {
  if (buffer_.has_body()) return dispatch();
  const std::size_t before = buffer_.body_received();
  const IoResult result = buffer_.read_body();
  if (result.kind != Kind::kDone) return want(result.kind);
  if (before / kStepBytes != buffer_.body_received() / kStepBytes) enter(Phase::kBody, options_.body_timeout);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::read_chunked() {
  std::string& chunks = buffer_.chunks();
  const std::size_t before = parser_->chunked_body().size();
  chunks.erase(0, parser_->put_chunked(chunks));
  if (parser_->refusal()) return refuse(*parser_->refusal());
  const std::size_t size = parser_->chunked_body().size();
  if (!buffer_.reserve(size)) return overloaded();
  if (parser_->is_done()) return dispatch();
  // What is left is one unfinished line or the trailers, which are header as far as limits go.
  if (chunks.size() > options_.max_header_bytes) {
    return refuse({431, {ErrorCode::kLimitExceeded, "a chunk's header or the trailers are too large"}});
  }
  if (before / kStepBytes != size / kStepBytes) enter(Phase::kChunks, options_.body_timeout);
  const IoResult result = buffer_.read_chunks();
  return result.kind == Kind::kDone ? Next::kAgain : want(result.kind);
}

SocketConnection::Next SocketConnection::dispatch() {
  if (parser_->body_size()) parser_->request().body = buffer_.take_body();  // a chunked one is the parser's
  stage_done(&HttpObserver::received);
  count(state_.counters.requests);
  enter(Phase::kHandling, milliseconds::max());
  answer_.open(shared_from_this());
  try {
    state_.handler.handle(HttpExchange(*this));
  } catch (...) {
    // The exchange has gone with the exception, and said so.
  }
  return answer_.await() ? Next::kAnswer : take_answer();
}

void SocketConnection::resume() {
  if (finished_) return;
  try {
    return take_answer() == Next::kEnd ? finish() : drive();
  } catch (...) {  // out of memory
    finish();
  }
}

SocketConnection::Next SocketConnection::take_answer() {
  stage_done(&HttpObserver::handled);
  auto response = answer_.take();
  if (!response) response = make_problem({ErrorCode::kInternal, "no answer"});
  buffer_.release_body();
  return respond(*std::move(response), parser_->keep_alive());
}

SocketConnection::Next SocketConnection::refuse(const Refusal& refusal) {
  count(state_.counters.requests_refused);
  buffer_.release_body();
  discard_left_ = 0;
  return respond(make_problem(refusal.error, refusal.status), false);
}

SocketConnection::Next SocketConnection::overloaded() {
  count(state_.counters.requests_overload);
  return refuse({503, {ErrorCode::kOverloaded, "too many bodies are being read"}});
}

SocketConnection::Next SocketConnection::respond(HttpResponse response, bool keep_alive) {
  keep_alive_ = keep_alive && !state_.stopping.load(std::memory_order_relaxed);
  ResponseFraming framing;
  framing.tls = transport_.is_tls();
  framing.keep_alive = keep_alive_;
  framing.http_1_0 = parser_ && parser_->is_http_1_0();
  framing.head_method = parser_ && parser_->is_head_method();
  std::string& out = worker_.scratch();
  out.clear();
  if (!write_response(response, framing, worker_.date(), out)) {
    write_response(make_problem({ErrorCode::kInternal, "the answer is no valid HTTP"}), framing, worker_.date(), out);
  }
  return send(out);
}

SocketConnection::Next SocketConnection::send(std::string_view bytes) {
  phase_ = Phase::kWriting;
  const IoResult result = transport_.write(bytes);
  if (result.kind == Kind::kDone && result.bytes == bytes.size()) return written();
  enter(Phase::kWriting, options_.write_timeout);
  out_ = bytes.substr(result.bytes);
  out_sent_ = 0;
  return result.kind == Kind::kDone ? Next::kAgain : want(result.kind);
}

SocketConnection::Next SocketConnection::write() {
  const IoResult result = transport_.write(std::span(out_).subspan(out_sent_));
  if (result.kind != Kind::kDone) return want(result.kind);
  const std::size_t before = out_sent_;
  out_sent_ += result.bytes;
  if (out_sent_ == out_.size()) return written();
  if (before / kStepBytes != out_sent_ / kStepBytes) enter(Phase::kWriting, options_.write_timeout);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::written() {
  out_.clear();
  if (out_.capacity() > kKeptBytes) std::string().swap(out_);
  if (std::exchange(continuing_, false)) {
    enter(parser_->body_size() ? Phase::kBody : Phase::kChunks, options_.body_timeout);
    return Next::kAgain;
  }
  stage_done(&HttpObserver::answered);
  if (!keep_alive_) return begin_close(kLingerTimeout);
  if (discard_left_ == 0) return next_request();
  enter(Phase::kDiscard, options_.body_timeout);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::discard_body() {
  const IoResult result = buffer_.discard(discard_left_);
  if (discard_left_ == 0) return next_request();
  return result.kind == Kind::kDone ? Next::kAgain : want(result.kind);
}

SocketConnection::Next SocketConnection::next_request() {
  buffer_.next_request();
  parser_.reset();
  scanner_ = {};
  enter(Phase::kIdle, options_.idle_timeout);
  if (!buffer_.empty()) begin_head();
  return Next::kAgain;
}

void SocketConnection::begin_head() {
  since_ = SteadyClock::now();
  enter(Phase::kHead, options_.header_timeout, since_);
}

// Leaves so that the client gets the last response: closing with bytes unread would make the kernel send a reset, which
// can overtake it.
SocketConnection::Next SocketConnection::begin_close(milliseconds linger) {
  linger_ = linger;
  enter(Phase::kClosing, linger_);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::close() {
  const IoResult result = transport_.close_writing();
  if (result.kind != Kind::kDone) return want(result.kind);
  enter(Phase::kLinger, linger_);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::linger() {
  const IoResult result = transport_.discard();
  return result.kind == Kind::kDone ? Next::kAgain : result.kind == Kind::kWantRead ? Next::kReady : Next::kEnd;
}

// What to do after an operation on the socket that is not done.
SocketConnection::Next SocketConnection::want(IoResult::Kind kind) {
  if (kind == Kind::kWantRead || kind == Kind::kWantWrite) return Next::kReady;
  if (kind == Kind::kPaused) return Next::kYield;
  // The client has gone. Only an orderly end is worth an orderly answer.
  const bool reading =
      phase_ == Phase::kIdle || phase_ == Phase::kHead || phase_ == Phase::kBody || phase_ == Phase::kChunks;
  return kind == Kind::kEnd && reading ? begin_close(kHangUpTimeout) : Next::kEnd;
}

void SocketConnection::begin_drain() {
  if (phase_ == Phase::kHandshake) return finish();
  if (phase_ == Phase::kIdle) drive();
}

// One clock reading a phase is all that a deadline costs, as a rule: see TimerWheel.
void SocketConnection::enter(Phase phase, milliseconds timeout, SteadyClock::time_point now) {
  phase_ = phase;
  const bool unlimited = timeout == milliseconds::max();
  worker_.timers().set(*this, unlimited ? SteadyClock::time_point::max() : now + timeout);
}

void SocketConnection::on_deadline() {
  const auto self = shared_from_this();  // finish() may drop the last other reference
  try {
    count(state_.counters.timeouts);
    end_phase();
  } catch (...) {  // out of memory
    finish();
  }
}

void SocketConnection::end_phase() {
  switch (phase_) {
    case Phase::kHead:
    case Phase::kBody:
    case Phase::kChunks: {
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

void SocketConnection::stage_done(void (HttpObserver::*stage)(std::chrono::nanoseconds)) {
  const auto now = SteadyClock::now();
  const auto took = now - std::exchange(since_, now);
  if (state_.observer != nullptr) (state_.observer->*stage)(took);
}

}  // namespace

void serve_connection(Worker& worker, TcpSocket socket, const TlsContext& tls, const AddressKey& address,
                      TimerWheel::Clock::time_point accepted) {
  std::make_shared<SocketConnection>(worker, std::move(socket), tls, address, accepted)->start();
}

}  // namespace hearsay::aggregator
