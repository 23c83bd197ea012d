#include "aggregator/http/connection.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <type_traits>

#include "aggregator/http/pending_answer.h"
#include "aggregator/http/problem.h"
#include "aggregator/http/request_parser.h"
#include "aggregator/http/response_writer.h"

namespace hearsay::aggregator {

namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;
using TlsStream = asio::ssl::stream<TcpSocket>;

constexpr std::size_t kReadBytes = 4096;           // enough for the head and body of one report
constexpr std::size_t kBodyStepBytes = 256 << 10;  // bodies grow as they arrive, whatever length was announced
constexpr std::size_t kWriteStepBytes =
    256 << 10;                                // what write_timeout is for; a long response may take several times that
constexpr std::size_t kKeptBytes = 8192;      // buffers larger than this are not kept from request to request
constexpr milliseconds kHangUpTimeout{50};    // for a TLS close_notify to leave when no response is under way
constexpr milliseconds kLingerTimeout{1000};  // for the client to read the last response and close

TcpSocket& tcp_layer(TcpSocket& stream) { return stream; }
TcpSocket& tcp_layer(TlsStream& stream) { return stream.next_layer(); }

// How long the timer may sleep without looking at the deadline: see StreamConnection::set_deadline.
milliseconds tick_period(const HttpServerOptions& options) {
  return std::min({options.handshake_timeout, options.read_timeout, options.idle_timeout, options.write_timeout});
}

template <class Stream>
class StreamConnection final : public Connection, public std::enable_shared_from_this<StreamConnection<Stream>> {
 public:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  StreamConnection(Worker& worker, Stream stream)
      : worker_(worker),
        state_(worker.state()),
        options_(state_.options),
        stream_(std::move(stream)),
        timer_(worker.context()->get_executor()),
        tick_period_(tick_period(options_)) {}

  Task<void> run();
  // Ends what run() began, also if it threw.
  void finish();

  void begin_drain() override;
  void abort() override;

 private:
  enum class Phase { kHandshake, kIdle, kReading, kHandling, kWriting, kClosing };
  enum class Reading { kRequest, kRefused, kClosed };

  Task<bool> handshake();
  Task<bool> serve_request();
  Task<Reading> read_request();
  Task<Reading> read_head();
  Task<Reading> read_known_body(std::uint64_t size);
  Task<Reading> read_chunked_body();
  Task<bool> send_continue();
  Task<bool> ask_handler();
  Task<bool> send_response(bool keep_alive);
  Task<void> close();

  Reading refuse(Refusal refusal);
  Reading read_failed();
  TcpSocket& socket() { return tcp_layer(stream_); }
  std::string_view buffered() const { return {static_cast<const char*>(buffer_.data().data()), buffer_.size()}; }
  void hang_up();
  void close_socket();
  void release_large_buffers();

  void enter(Phase phase, milliseconds timeout);
  void arm_timer();
  void on_deadline();

  Worker& worker_;
  ServerState& state_;
  const HttpServerOptions& options_;
  Stream stream_;
  error_code error_;
  AwaitWithError await_{UseAwaitable{}, error_};

  Phase phase_ = Phase::kHandshake;
  SteadyTimer timer_;
  milliseconds tick_period_;
  SteadyClock::time_point deadline_ = SteadyClock::time_point::max();
  SteadyClock::time_point next_tick_ = SteadyClock::time_point::max();
  bool too_slow_ = false;
  bool hung_up_ = false;
  bool aborted_ = false;
  bool finished_ = false;

  boost::beast::flat_buffer buffer_;
  std::optional<RequestParser> parser_;
  HttpResponse response_;
  std::shared_ptr<PendingAnswer> pending_;
  std::string out_;
};

template <class Stream>
Task<void> StreamConnection<Stream>::run() {
  worker_.add(this);
  arm_timer();
  bool open = co_await handshake();
  while (open) open = co_await serve_request();
  co_await close();
}

template <class Stream>
void StreamConnection<Stream>::finish() {
  finished_ = true;
  close_socket();
  timer_.cancel();
  worker_.remove(this);
}

template <class Stream>
Task<bool> StreamConnection<Stream>::handshake() {
  // Draining may have begun between the accept and this moment.
  if (state_.stopping.load(std::memory_order_relaxed)) co_return false;
  if constexpr (kTls) {
    enter(Phase::kHandshake, options_.handshake_timeout);
    co_await stream_.async_handshake(asio::ssl::stream_base::server, await_);
    count(error_ ? state_.counters.handshakes_failed : state_.counters.handshakes);
    if (error_) close_socket();
    co_return !error_;
  }
  co_return true;
}

template <class Stream>
Task<bool> StreamConnection<Stream>::serve_request() {
  const Reading reading = co_await read_request();
  if (reading == Reading::kClosed) co_return false;
  if (reading == Reading::kRefused) {
    count(state_.counters.requests_refused);
    co_await send_response(false);
    co_return false;
  }
  const bool answered = co_await ask_handler();
  if (!answered) co_return false;
  const bool keep_alive = parser_->keep_alive() && !state_.stopping.load(std::memory_order_relaxed);
  const bool sent = co_await send_response(keep_alive);
  if (!sent) co_return false;
  co_return keep_alive;
}

template <class Stream>
Task<typename StreamConnection<Stream>::Reading> StreamConnection<Stream>::read_request() {
  parser_.emplace(options_.max_body_bytes);
  const Reading head = co_await read_head();
  if (head != Reading::kRequest || parser_->is_done()) co_return head;
  if (parser_->expects_continue() && buffer_.size() == 0) {
    const bool sent = co_await send_continue();
    if (!sent) co_return Reading::kClosed;
  }
  const auto size = parser_->body_size();
  if (!size) co_return co_await read_chunked_body();
  co_return co_await read_known_body(*size);
}

template <class Stream>
Task<typename StreamConnection<Stream>::Reading> StreamConnection<Stream>::read_head() {
  HeadScanner scanner;
  enter(Phase::kIdle, options_.idle_timeout);
  if (state_.stopping.load(std::memory_order_relaxed) && buffer_.size() == 0) co_return Reading::kClosed;
  for (;;) {
    if (buffer_.size() > 0 && phase_ == Phase::kIdle) enter(Phase::kReading, options_.read_timeout);
    const HeadScanner::State state = scanner.scan(buffered());
    if (state == HeadScanner::State::kMalformed) {
      co_return refuse({400, {ErrorCode::kInvalidArgument, "malformed HTTP header"}});
    }
    if (scanner.end() > options_.max_header_bytes) {
      co_return refuse({431,
                        {ErrorCode::kLimitExceeded,
                         "the header is larger than " + std::to_string(options_.max_header_bytes) + " bytes"}});
    }
    if (state == HeadScanner::State::kComplete) break;
    const auto space = buffer_.prepare(kReadBytes);
    const std::size_t size = co_await stream_.async_read_some(space, await_);
    if (error_) co_return read_failed();
    buffer_.commit(size);
  }
  const bool accepted = parser_->put_head(scanner.head(buffered()));
  buffer_.consume(scanner.end());
  co_return accepted ? Reading::kRequest : refuse(*parser_->refusal());
}

template <class Stream>
Task<typename StreamConnection<Stream>::Reading> StreamConnection<Stream>::read_known_body(std::uint64_t size) {
  std::string& body = parser_->request().body;
  const std::size_t early = std::min<std::uint64_t>(size, buffer_.size());
  body.append(buffered().substr(0, early));
  buffer_.consume(early);
  std::size_t filled = early;
  while (filled < size) {
    if (filled == body.size()) body.resize(filled + std::min<std::uint64_t>(size - filled, kBodyStepBytes));
    const auto space = asio::buffer(body.data() + filled, body.size() - filled);
    filled += co_await stream_.async_read_some(space, await_);
    if (error_) co_return read_failed();
  }
  co_return Reading::kRequest;
}

template <class Stream>
Task<typename StreamConnection<Stream>::Reading> StreamConnection<Stream>::read_chunked_body() {
  for (;;) {
    buffer_.consume(parser_->put_chunked(buffered()));
    if (parser_->refusal()) co_return refuse(*parser_->refusal());
    if (parser_->is_done()) co_return Reading::kRequest;
    // What is left is one unfinished line or the trailers, which are header as far as limits go.
    if (buffer_.size() > options_.max_header_bytes) {
      co_return refuse({431, {ErrorCode::kLimitExceeded, "a chunk's header or the trailers are too large"}});
    }
    const auto space = buffer_.prepare(4 * kReadBytes);
    const std::size_t size = co_await stream_.async_read_some(space, await_);
    if (error_) co_return read_failed();
    buffer_.commit(size);
  }
}

template <class Stream>
Task<bool> StreamConnection<Stream>::send_continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const auto bytes = asio::buffer(kContinue.data(), kContinue.size());
  co_await asio::async_write(stream_, bytes, await_);
  co_return !error_;
}

// Fills response_; false if the server stops first.
template <class Stream>
Task<bool> StreamConnection<Stream>::ask_handler() {
  enter(Phase::kHandling, milliseconds::max());
  count(state_.counters.requests);
  pending_ = std::make_shared<PendingAnswer>(worker_.context());
  try {
    state_.handler(std::move(parser_->request()), PendingAnswer::make_respond(pending_));
  } catch (...) {
    pending_->settle(PendingAnswer::Outcome::kDropped, {});
  }
  if (!pending_->settled()) co_await pending_->wait();
  const PendingAnswer::Outcome outcome = pending_->outcome();
  if (outcome == PendingAnswer::Outcome::kResponse) response_ = std::move(pending_->response());
  if (outcome == PendingAnswer::Outcome::kDropped) response_ = make_problem({ErrorCode::kInternal, "no answer"});
  pending_.reset();
  co_return outcome != PendingAnswer::Outcome::kAborted;
}

template <class Stream>
Task<bool> StreamConnection<Stream>::send_response(bool keep_alive) {
  ResponseFraming framing;
  framing.tls = kTls;
  framing.keep_alive = keep_alive;
  framing.http_1_0 = parser_->is_http_1_0();
  framing.head_method = parser_->is_head_method();
  out_.clear();
  if (!write_response(response_, framing, worker_.date(), out_)) {
    response_ = make_problem({ErrorCode::kInternal, "the answer is no valid HTTP"});
    write_response(response_, framing, worker_.date(), out_);
  }
  response_ = {};
  for (std::size_t sent = 0; sent < out_.size(); sent += kWriteStepBytes) {
    enter(Phase::kWriting, options_.write_timeout);
    const auto bytes = asio::buffer(out_.data() + sent, std::min(out_.size() - sent, kWriteStepBytes));
    co_await asio::async_write(stream_, bytes, await_);
    if (error_) close_socket();
    if (error_) co_return false;
  }
  release_large_buffers();
  co_return true;
}

// Connections live long and are many, and most of their requests are small.
template <class Stream>
void StreamConnection<Stream>::release_large_buffers() {
  if (out_.capacity() > kKeptBytes) std::string().swap(out_);
  if (buffer_.capacity() > kKeptBytes) buffer_.shrink_to_fit();
}

// Leaves so that the client gets the last response: closing with bytes unread would make the kernel send a reset, which
// can overtake it.
template <class Stream>
Task<void> StreamConnection<Stream>::close() {
  if (!socket().is_open()) co_return;
  enter(Phase::kClosing, hung_up_ ? kHangUpTimeout : kLingerTimeout);
  if constexpr (kTls) {
    co_await stream_.async_shutdown(await_);
  }
  error_ = {};
  socket().shutdown(asio::socket_base::shutdown_send, error_);
  while (!error_) {
    buffer_.clear();
    const auto space = buffer_.prepare(kReadBytes);
    co_await socket().async_read_some(space, await_);
  }
}

template <class Stream>
typename StreamConnection<Stream>::Reading StreamConnection<Stream>::refuse(Refusal refusal) {
  response_ = make_problem(refusal.error, refusal.status);
  return Reading::kRefused;
}

template <class Stream>
typename StreamConnection<Stream>::Reading StreamConnection<Stream>::read_failed() {
  if (too_slow_ && !aborted_) return refuse({408, {ErrorCode::kTimedOut, "the request took too long"}});
  // The client is gone, or idle for too long. Only an orderly end is worth an orderly answer.
  if (error_ != asio::error::eof && error_ != asio::ssl::error::stream_truncated) close_socket();
  return Reading::kClosed;
}

template <class Stream>
void StreamConnection<Stream>::close_socket() {
  error_code ignored;
  socket().close(ignored);
}

template <class Stream>
void StreamConnection<Stream>::begin_drain() {
  if (phase_ == Phase::kHandshake) close_socket();
  if (phase_ == Phase::kIdle) hang_up();
}

// Ends the pending read, or the next one if none is pending at this moment. Bytes that are here already are still read,
// so a request that has just arrived is served.
template <class Stream>
void StreamConnection<Stream>::hang_up() {
  hung_up_ = phase_ == Phase::kIdle;
  error_code ignored;
  socket().shutdown(asio::socket_base::shutdown_receive, ignored);
}

template <class Stream>
void StreamConnection<Stream>::abort() {
  aborted_ = true;
  close_socket();
  if (pending_) pending_->settle(PendingAnswer::Outcome::kAborted, {});
}

// A timer that is moved for every phase of every request would be a good part of a request's cost. So a phase only
// notes its deadline, and the timer looks at it at least every tick_period_. No timeout is shorter than that, so the
// timer is never late; only the linger timeout can be, and moves it.
template <class Stream>
void StreamConnection<Stream>::enter(Phase phase, milliseconds timeout) {
  phase_ = phase;
  deadline_ = timeout == milliseconds::max() ? SteadyClock::time_point::max() : SteadyClock::now() + timeout;
  if (deadline_ < next_tick_) arm_timer();
}

template <class Stream>
void StreamConnection<Stream>::arm_timer() {
  next_tick_ = std::min(deadline_, SteadyClock::now() + tick_period_);
  timer_.expires_at(next_tick_);
  timer_.async_wait([self = this->shared_from_this()](const error_code& canceled) {
    if (canceled || self->finished_) return;
    self->next_tick_ = SteadyClock::time_point::min();  // so that on_deadline() leaves arming to the next line but one
    if (SteadyClock::now() >= self->deadline_) self->on_deadline();
    self->arm_timer();
  });
}

template <class Stream>
void StreamConnection<Stream>::on_deadline() {
  deadline_ = SteadyClock::time_point::max();
  if (phase_ == Phase::kIdle || phase_ == Phase::kReading) {
    too_slow_ = phase_ == Phase::kReading;  // writing stays possible, for the 408
    hang_up();
    enter(Phase::kClosing, kLingerTimeout);  // in case it is stuck in something else than a read
  } else if (phase_ != Phase::kHandling) {
    close_socket();
  }
}

template <class Stream>
void spawn(Worker& worker, Stream stream) {
  auto connection = std::make_shared<StreamConnection<Stream>>(worker, std::move(stream));
  asio::co_spawn(worker.context()->get_executor(), connection->run(),
                 [connection](std::exception_ptr) { connection->finish(); });
}

}  // namespace

void serve_connection(Worker& worker, TcpSocket socket, const TlsContext& tls) {
  if (tls) {
    spawn(worker, TlsStream(std::move(socket), *tls));
  } else {
    spawn(worker, std::move(socket));
  }
}

}  // namespace hearsay::aggregator
