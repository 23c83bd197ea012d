// A connection is a state machine: drive() takes steps until one has to wait, for the socket, for the handler's answer
// or for nothing any more. It runs on the worker's thread only; nothing but settle() is called from elsewhere.

#include "aggregator/http/connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstring>

#include "aggregator/http/problem.h"
#include "aggregator/http/request_parser.h"
#include "aggregator/http/response_writer.h"
#include "aggregator/http/transport.h"

namespace hearsay::aggregator {

namespace {

using std::chrono::milliseconds;
using SteadyClock = TimerWheel::Clock;
using Kind = IoResult::Kind;

constexpr std::size_t kStepBytes = 256 << 10;  // what body_timeout and write_timeout are for
constexpr std::size_t kChunkReadBytes = 16 << 10;
constexpr std::size_t kDiscardBytes = 64 << 10;  // of a refused request's body, to keep the connection
constexpr std::size_t kKeptBytes = 4096;         // what an idle connection may hold
constexpr int kStepsInARow = 64;                 // before other connections have their turn
constexpr milliseconds kHangUpTimeout{50};       // for a TLS close_notify to leave when no response is under way
constexpr milliseconds kLingerTimeout{1000};     // for the client to read the last response and close
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

class SocketConnection final : public Connection,
                               public HttpClient,
                               private TimerWheel::Entry,
                               public std::enable_shared_from_this<SocketConnection> {
 public:
  SocketConnection(Worker& worker, TcpSocket socket, const TlsContext& tls, const AddressKey& address,
                   SteadyClock::time_point accepted)
      : context_(worker.context()),
        answers_(worker.answers()),
        bodies_(worker.state().bodies),
        worker_(worker),
        state_(worker.state()),
        options_(state_.options),
        address_(address),
        socket_(std::move(socket)),
        transport_(socket_.native_handle(), tls.get()),
        since_(accepted) {
    socket_.native_non_blocking(true);
  }
  ~SocketConnection() { bodies_->give_back(reserved_); }

  void start() {
    worker_.add(shared_from_this());
    enter(Phase::kHandshake, options_.handshake_timeout);
    drive();
  }

  void begin_drain() override;
  void abort() override { finish(); }
  void resume() override;

  const HttpRequest& request() const override { return parser_->request(); }
  void settle(std::optional<HttpResponse> response) override;

 private:
  enum class Phase {
    kHandshake,
    kIdle,
    kHead,
    kBody,
    kChunked,
    kHandling,
    kWriting,
    kDiscarding,
    kClosing,
    kLingering
  };
  enum class Next { kAgain, kReadable, kWritable, kAnswer, kEnd };
  enum class Answer { kOpen, kAwaited, kSettled };

  void drive();
  Next step();
  void wait(asio::socket_base::wait_type what);
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
  Next read_failed();

  // Reads to the end of the input buffer, which has room.
  IoResult read_input();
  std::string_view buffered() const { return {input_.data() + begin_, end_ - begin_}; }
  bool reserve(std::size_t bytes);
  void release_body();
  void give_back_input();

  void enter(Phase phase, milliseconds timeout);
  void on_deadline() override;
  void end_phase();
  SteadyClock::duration lap();

  // What a request needs that outlives its server comes first.
  const std::shared_ptr<asio::io_context> context_;
  const std::shared_ptr<Answers> answers_;
  const std::shared_ptr<BodyBudget> bodies_;

  Worker& worker_;
  ServerState& state_;
  const HttpServerOptions& options_;
  const AddressKey address_;
  TcpSocket socket_;
  Transport transport_;

  Phase phase_ = Phase::kHandshake;
  SteadyClock::time_point since_;  // when the stage that lap() measures began
  bool readable_ = true;           // reading is worth a try
  bool waiting_read_ = false;
  bool waiting_write_ = false;
  bool finished_ = false;

  // The request. Its views are into the front of input_, so that nothing there moves until it is answered.
  std::vector<char> input_;  // the bytes [begin_, end_) are not yet used up
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  HeadScanner scanner_;
  std::optional<RequestParser> parser_;
  std::string body_;           // one that does not fit input_
  std::string chunks_;         // what came of a chunked body and is not parsed yet
  std::size_t body_size_ = 0;  // as announced
  std::size_t reserved_ = 0;   // of the budget

  // Its answer. settle() writes answer_, and the worker's thread reads it once answer_state_ says so.
  std::atomic<Answer> answer_state_ = Answer::kOpen;
  std::optional<HttpResponse> answer_;
  std::shared_ptr<Connection> self_;  // keeps the request alive until it is answered

  std::string out_;  // what is left to be written
  std::size_t out_sent_ = 0;
  std::size_t discard_left_ = 0;
  bool continuing_ = false;  // it is "100 Continue" that is written
  bool keep_alive_ = false;
  milliseconds linger_ = kLingerTimeout;
};

void SocketConnection::drive() {
  const auto self = shared_from_this();  // finish() may drop the last other reference
  try {
    for (int steps = 0; !finished_; ++steps) {
      switch (steps < kStepsInARow ? step() : Next::kAgain) {
        case Next::kAgain:
          if (steps < kStepsInARow) break;
          return asio::post(*context_, [self] { self->drive(); });
        case Next::kReadable:
          return wait(asio::socket_base::wait_read);
        case Next::kWritable:
          return wait(asio::socket_base::wait_write);
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
    case Phase::kChunked:
      return read_chunked();
    case Phase::kHandling:
      return Next::kAnswer;
    case Phase::kWriting:
      return write();
    case Phase::kDiscarding:
      return discard_body();
    case Phase::kClosing:
      return close();
    case Phase::kLingering:
      return linger();
  }
  return Next::kEnd;
}

void SocketConnection::wait(asio::socket_base::wait_type what) {
  bool& waiting = what == asio::socket_base::wait_read ? waiting_read_ : waiting_write_;
  if (std::exchange(waiting, true)) return;
  socket_.async_wait(what, [self = shared_from_this(), &waiting](const error_code&) {
    waiting = false;
    self->readable_ = true;
    self->drive();
  });
}

void SocketConnection::finish() {
  if (std::exchange(finished_, true)) return;
  const auto self = shared_from_this();
  if (phase_ == Phase::kHandshake && transport_.is_tls()) count(state_.counters.handshakes_failed);
  error_code ignored;
  socket_.close(ignored);
  worker_.timers().remove(*this);
  if (phase_ != Phase::kHandling) give_back_input();
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
    const auto took = lap();
    if (state_.observer != nullptr) state_.observer->handshaken(took);
  }
  enter(Phase::kIdle, options_.first_byte_timeout);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::read_head() {
  const HeadScanner::State state = scanner_.scan(buffered());
  if (state == HeadScanner::State::kMalformed) {
    return refuse({400, {ErrorCode::kInvalidArgument, "malformed HTTP header"}});
  }
  if (scanner_.end() > options_.max_header_bytes) {
    return refuse({431,
                   {ErrorCode::kLimitExceeded,
                    "the header is larger than " + std::to_string(options_.max_header_bytes) + " bytes"}});
  }
  if (state == HeadScanner::State::kComplete) return take_head();

  const bool idle = begin_ == end_;
  const bool stopping = idle && state_.stopping.load(std::memory_order_relaxed);
  IoResult result{Kind::kWantRead};
  if (readable_ || stopping || transport_.has_buffered()) {
    if (input_.empty()) input_ = worker_.take_buffer();
    if (end_ == input_.size()) input_.resize(2 * input_.size());  // no views are into it yet
    result = read_input();
  }
  if (result.kind == Kind::kDone) {
    if (phase_ == Phase::kIdle) {
      since_ = SteadyClock::now();
      enter(Phase::kHead, options_.header_timeout);
    }
    return Next::kAgain;
  }
  if (result.kind != Kind::kWantRead) return result.kind == Kind::kWantWrite ? Next::kWritable : read_failed();
  if (stopping) return begin_close(kHangUpTimeout);
  if (idle) give_back_input();
  return Next::kReadable;
}

SocketConnection::Next SocketConnection::take_head() {
  parser_.emplace(options_.max_body_bytes);
  const bool accepted = parser_->put_head(scanner_.head(buffered()));
  begin_ += scanner_.end();
  if (!accepted) return refuse(*parser_->refusal());
  body_size_ = parser_->body_size().value_or(0);
  if (auto refused = state_.handler.admit(parser_->request())) {
    count(state_.counters.requests_rejected);
    const bool small = parser_->is_done() || (parser_->body_size() && body_size_ <= kDiscardBytes);
    discard_left_ = small && !parser_->expects_continue() ? body_size_ : 0;
    return respond(*std::move(refused), parser_->keep_alive() && (discard_left_ > 0 || parser_->is_done()));
  }
  if (parser_->is_done()) return dispatch();
  return expect_body();
}

SocketConnection::Next SocketConnection::expect_body() {
  if (!parser_->body_size()) {
    chunks_ = buffered();
    begin_ = end_;
    enter(Phase::kChunked, options_.body_timeout);
  } else {
    if (body_size_ > input_.size() - begin_) {
      if (!reserve(body_size_)) return overloaded();
      body_.reserve(body_size_);  // address space; memory comes as the bytes do
      body_ = buffered();
      begin_ = end_;
    }
    enter(Phase::kBody, options_.body_timeout);
  }
  if (!parser_->expects_continue() || begin_ != end_ || !body_.empty() || !chunks_.empty()) return Next::kAgain;
  continuing_ = true;
  return send(kContinue);
}

SocketConnection::Next SocketConnection::read_body() {
  const bool in_place = reserved_ == 0;
  if ((in_place ? end_ - begin_ : body_.size()) >= body_size_) return dispatch();
  if (in_place) {
    const IoResult result = read_input();
    return result.kind == Kind::kDone ? Next::kAgain : want(result.kind);
  }
  const std::size_t filled = body_.size();
  body_.resize(std::min(body_size_, filled + kChunkReadBytes));
  const IoResult result = transport_.read({body_.data() + filled, body_.size() - filled});
  body_.resize(filled + result.bytes);
  if (result.kind != Kind::kDone) return want(result.kind);
  if (filled / kStepBytes != body_.size() / kStepBytes) enter(Phase::kBody, options_.body_timeout);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::read_chunked() {
  const std::size_t parsed = parser_->chunked_body().size();
  chunks_.erase(0, parser_->put_chunked(chunks_));
  if (parser_->refusal()) return refuse(*parser_->refusal());
  const std::size_t size = parser_->chunked_body().size();
  if (size > reserved_ && !reserve(size - reserved_)) return overloaded();
  if (parser_->is_done()) return dispatch();
  // What is left is one unfinished line or the trailers, which are header as far as limits go.
  if (chunks_.size() > options_.max_header_bytes) {
    return refuse({431, {ErrorCode::kLimitExceeded, "a chunk's header or the trailers are too large"}});
  }
  if (parsed / kStepBytes != size / kStepBytes) enter(Phase::kChunked, options_.body_timeout);
  const std::size_t filled = chunks_.size();
  chunks_.resize(filled + kChunkReadBytes);
  const IoResult result = transport_.read({chunks_.data() + filled, kChunkReadBytes});
  chunks_.resize(filled + result.bytes);
  return result.kind == Kind::kDone ? Next::kAgain : want(result.kind);
}

SocketConnection::Next SocketConnection::dispatch() {
  if (!parser_->body_size()) {
    // Set by the parser, or there is none.
  } else if (reserved_ > 0) {
    parser_->request().body = body_;
  } else {
    parser_->request().body = buffered().substr(0, body_size_);
    begin_ += body_size_;
  }
  const auto took = lap();
  if (state_.observer != nullptr) state_.observer->received(took);
  count(state_.counters.requests);
  enter(Phase::kHandling, milliseconds::max());
  answer_state_.store(Answer::kOpen, std::memory_order_relaxed);
  self_ = shared_from_this();
  try {
    state_.handler.handle(HttpExchange(*this));
  } catch (...) {
    // The exchange has gone with the exception, and said so.
  }
  Answer expected = Answer::kOpen;
  if (answer_state_.compare_exchange_strong(expected, Answer::kAwaited, std::memory_order_acq_rel)) {
    return Next::kAnswer;
  }
  self_.reset();
  return take_answer();
}

// Any thread. After the exchange the connection may be gone.
void SocketConnection::settle(std::optional<HttpResponse> response) {
  answer_ = std::move(response);
  if (answer_state_.exchange(Answer::kSettled, std::memory_order_acq_rel) != Answer::kAwaited) return;
  const auto answers = answers_;
  Answers::push(answers, std::move(self_));
}

void SocketConnection::resume() {
  if (finished_) return;
  try {
    switch (take_answer()) {
      case Next::kEnd:
        return finish();
      case Next::kWritable:
        return wait(asio::socket_base::wait_write);
      default:
        return drive();
    }
  } catch (...) {  // out of memory
    finish();
  }
}

SocketConnection::Next SocketConnection::take_answer() {
  const auto took = lap();
  if (state_.observer != nullptr) state_.observer->handled(took);
  HttpResponse response = answer_ ? *std::move(answer_) : make_problem({ErrorCode::kInternal, "no answer"});
  answer_.reset();
  release_body();
  return respond(std::move(response), parser_->keep_alive());
}

SocketConnection::Next SocketConnection::refuse(const Refusal& refusal) {
  count(state_.counters.requests_refused);
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
  enter(Phase::kWriting, options_.write_timeout);
  const IoResult result = transport_.write(bytes);
  if (result.kind == Kind::kDone && result.bytes == bytes.size()) return written();
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
    enter(parser_->body_size() ? Phase::kBody : Phase::kChunked, options_.body_timeout);
    return Next::kAgain;
  }
  const auto took = lap();
  if (state_.observer != nullptr) state_.observer->answered(took);
  if (!keep_alive_) return begin_close(kLingerTimeout);
  if (discard_left_ == 0) return next_request();
  enter(Phase::kDiscarding, options_.body_timeout);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::discard_body() {
  const std::size_t here = std::min(discard_left_, end_ - begin_);
  begin_ += here;
  discard_left_ -= here;
  if (discard_left_ == 0) return next_request();
  begin_ = end_ = 0;
  const IoResult result = read_input();
  return result.kind == Kind::kDone ? Next::kAgain : want(result.kind);
}

// What came behind the request moves to the front.
SocketConnection::Next SocketConnection::next_request() {
  if (!chunks_.empty()) {
    input_.assign(chunks_.begin(), chunks_.end());
    input_.resize(std::max(input_.size(), Worker::kInputBytes));
    begin_ = 0;
    end_ = chunks_.size();
    std::string().swap(chunks_);
  }
  if (begin_ != end_ && begin_ != 0) std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  parser_.reset();
  scanner_ = {};
  enter(Phase::kIdle, options_.idle_timeout);
  if (end_ > 0) {
    since_ = SteadyClock::now();
    enter(Phase::kHead, options_.header_timeout);
  }
  return Next::kAgain;
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
  enter(Phase::kLingering, linger_);
  return Next::kAgain;
}

SocketConnection::Next SocketConnection::linger() {
  const IoResult result = transport_.discard();
  return result.kind == Kind::kDone ? Next::kAgain : result.kind == Kind::kWantRead ? Next::kReadable : Next::kEnd;
}

SocketConnection::Next SocketConnection::want(IoResult::Kind kind) {
  switch (kind) {
    case Kind::kWantRead:
      return Next::kReadable;
    case Kind::kWantWrite:
      return Next::kWritable;
    case Kind::kEnd:
      return read_failed();
    default:
      return Next::kEnd;
  }
}

// The client has gone. Only an orderly end is worth an orderly answer.
SocketConnection::Next SocketConnection::read_failed() {
  const bool orderly = phase_ == Phase::kIdle || phase_ == Phase::kHead || phase_ == Phase::kBody;
  return orderly ? begin_close(kHangUpTimeout) : Next::kEnd;
}

IoResult SocketConnection::read_input() {
  const std::size_t room = input_.size() - end_;
  const IoResult result = transport_.read({input_.data() + end_, room});
  end_ += result.bytes;
  // With nothing left in between, trying again would only tell so.
  if (result.kind != Kind::kDone || result.bytes < room) readable_ = false;
  return result;
}

bool SocketConnection::reserve(std::size_t bytes) {
  if (!bodies_->take(bytes)) return false;
  reserved_ += bytes;
  return true;
}

void SocketConnection::release_body() {
  bodies_->give_back(std::exchange(reserved_, 0));
  std::string().swap(body_);
}

void SocketConnection::give_back_input() {
  if (!input_.empty()) worker_.give_back(std::exchange(input_, {}));
  begin_ = end_ = 0;
}

void SocketConnection::begin_drain() {
  if (phase_ == Phase::kHandshake) return finish();
  if (phase_ == Phase::kIdle) drive();
}

// One clock reading a phase is all that a deadline costs, as a rule: see TimerWheel.
void SocketConnection::enter(Phase phase, milliseconds timeout) {
  phase_ = phase;
  const bool unlimited = timeout == milliseconds::max();
  worker_.timers().set(*this, unlimited ? SteadyClock::time_point::max() : SteadyClock::now() + timeout);
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
    case Phase::kChunked: {
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

SteadyClock::duration SocketConnection::lap() {
  const auto now = SteadyClock::now();
  return now - std::exchange(since_, now);
}

}  // namespace

void serve_connection(Worker& worker, TcpSocket socket, const TlsContext& tls, const AddressKey& address,
                      TimerWheel::Clock::time_point accepted) {
  std::make_shared<SocketConnection>(worker, std::move(socket), tls, address, accepted)->start();
}

}  // namespace hearsay::aggregator
