// The requests and answers of a connection.

#include <boost/asio/post.hpp>
#include <new>
#include <span>
#include <utility>
#include <variant>

#include "aggregator/http/connection.h"
#include "aggregator/http/problem.h"
#include "aggregator/http/response_writer.h"

namespace hearsay::http {

namespace {

using std::chrono::milliseconds;
using Kind = IoResult::Kind;

// The options body_timeout and write_timeout are times for kStepBytes bytes.
constexpr std::size_t kStepBytes = 64 << 10;
constexpr std::size_t kDiscardBytes = 64 << 10;  // largest refused body that is read to keep the connection
constexpr std::size_t kKeptBytes = 4096;         // limit on the memory of out_ in an idle connection
// The largest body that is sent together with its head, and is not counted against the memory budget.
constexpr std::size_t kShortBody = 4096;
// How often the connection checks whether a client that has sent bytes ahead is gone.
constexpr milliseconds kWatchInterval{500};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

Connection::Next Connection::read_head() {
  const RequestReader::Step step = reader_.read_head();
  if (const auto* refusal = std::get_if<Refusal>(&step)) return refuse(*refusal);
  const auto* io = std::get_if<IoResult>(&step);
  if (io == nullptr) return take_head();
  if (io->kind == Kind::kDone) {
    if (phase_ == Phase::kIdle) begin_head();
    return Next::kAgain;
  }
  if (io->kind != Kind::kWantRead || !reader_.empty()) return want(io->kind);
  if (state_.stopping.load(std::memory_order_relaxed)) return begin_close(kHangUpTimeout);
  reader_.release_buffer();
  return Next::kWaitRead;
}

Connection::Next Connection::take_head() {
  if (transport_.is_client_expired())
    return refuse({403, {ErrorCode::kForbidden, "the client's certificate has expired"}});
  const RequestParser& parser = *reader_.parser();
  auto admission = state_.handler.admit(parser.request());
  if (auto* const refusing = std::get_if<HttpResponse>(&admission)) {
    state_.counters.requests_rejected.increment();
    add_fields(*refusing);
    const std::size_t size = parser.body_size().value_or(0);
    const bool small = size <= kDiscardBytes && !parser.expects_continue();
    discard_left_ = small ? size : 0;
    return respond(std::move(*refusing), parser.keep_alive() && (discard_left_ > 0 || parser.is_done()));
  }
  auto& handling = std::get<HandleRequest>(admission);
  reader_.trust(handling.trusted);
  const auto limit = state_.memory->beyond(reader_.client());
  if (limit != MemoryBudget::Limit::kNone) return refuse(no_room(limit));
  handle_ = std::move(handling.function);
  return expect_body();
}

Connection::Next Connection::expect_body() {
  // A client that has already sent bytes of the body does not wait for "100 Continue".
  const bool ask = reader_.parser()->expects_continue() && reader_.empty();
  const RequestReader::Step step = reader_.begin_body();
  if (const auto* refusal = std::get_if<Refusal>(&step)) return refuse(*refusal);
  if (std::holds_alternative<RequestReader::Complete>(step)) return handle();
  enter(Phase::kBody, options_.body_timeout);
  if (!ask) return Next::kAgain;
  continuing_ = true;
  return send(kContinue);
}

Connection::Next Connection::read_body() {
  const std::size_t before = reader_.body_received();
  const RequestReader::Step step = reader_.read_body();
  if (const auto* refusal = std::get_if<Refusal>(&step)) return refuse(*refusal);
  const auto* io = std::get_if<IoResult>(&step);
  if (io == nullptr) return handle();
  if (before / kStepBytes != reader_.body_received() / kStepBytes) enter(Phase::kBody, options_.body_timeout);
  return io->kind == Kind::kDone ? Next::kAgain : want(io->kind);
}

Connection::Next Connection::handle() {
  stage_done(&HttpObserver::received);
  state_.counters.requests.increment();
  enter(Phase::kHandling, milliseconds::max());
  awaiting_ = shared_from_this();
  try {
    std::exchange(handle_, nullptr)(HttpExchange(*this));
  } catch (...) {
    // The exception has destroyed the exchange, which has answered 500.
  }
  return Next::kAgain;
}

// The posted function does not keep the connection alive, because nobody calls the function after the server has
// stopped.
void Connection::answer(std::optional<HttpResponse> response) {
  const auto self = std::move(awaiting_);
  try {
    if (response && response->body.size() > kShortBody) {
      answer_share_.trust(reader_.client().trusted);
      answer_share_.add(response->body.size());
    }
    response_ = std::move(response);
    asio::post(*context_, [waiting = weak_from_this()] {
      const auto connection = waiting.lock();
      if (!connection) return;
      connection->answered_ = true;
      connection->drive();
    });
  } catch (const std::bad_alloc&) {
    // Without an answer, the connection stays until the server stops.
  }
}

std::stop_token Connection::stop_token() {
  const std::lock_guard lock(stop_mutex_);
  if (!stop_.stop_possible()) {
    stop_ = std::stop_source();
    if (gone_) stop_.request_stop();
    watched_ = true;
    asio::post(*context_, [waiting = weak_from_this()] {
      if (const auto connection = waiting.lock()) connection->drive();
    });
  }
  return stop_.get_token();
}

void Connection::request_stop() {
  std::stop_source stop{std::nostopstate};
  {
    const std::lock_guard lock(stop_mutex_);
    stop = stop_;
  }
  stop.request_stop();  // runs callbacks
}

// If the client has sent bytes ahead, every wait for the socket would end at once, so a timer is used.
Connection::Next Connection::watch_client() {
  switch (transport_.peek().kind) {
    case Kind::kWantRead:
      return Next::kWaitRead;
    case Kind::kWantWrite:
      return Next::kWaitWrite;
    case Kind::kDone:
    case Kind::kPaused:
      enter(Phase::kHandling, kWatchInterval);
      break;
    case Kind::kEnd:
    case Kind::kFailed:
      request_stop();
      break;
  }
  return Next::kWaitAnswer;
}

Connection::Next Connection::take_answer() {
  const bool watched = watched_.load(std::memory_order_relaxed);
  if (!std::exchange(answered_, false)) return watched ? watch_client() : Next::kWaitAnswer;
  if (watched) {
    watched_ = false;
    const std::lock_guard lock(stop_mutex_);
    stop_ = std::stop_source(std::nostopstate);
  }
  stage_done(&HttpObserver::handled);
  if (!response_) response_ = make_problem({ErrorCode::kInternal, "the server made no answer"}, 500);
  add_fields(*response_);
  reader_.release_body();
  return respond(*std::move(response_), reader_.parser()->keep_alive());
}

Connection::Next Connection::refuse(const Refusal& refusal) {
  state_.counters.requests_refused.increment();
  HttpResponse response = make_problem(refusal.error, refusal.status);
  add_fields(response);
  reader_.release_body();
  discard_left_ = 0;
  return respond(std::move(response), false);
}

// Call this before release_body(), after which the request's views are invalid.
void Connection::add_fields(HttpResponse& response) const {
  if (reader_.parser()) state_.handler.add_fields(reader_.parser()->request(), response);
}

// Returns true if the certificates were reloaded since the client's certificate was checked.
bool Connection::is_client_outdated() const {
  const bool asks = options_.tls && !options_.tls->client_ca.empty();
  return asks && transport_.is_client_of_another(state_.tls.get().get());
}

Connection::Next Connection::respond(HttpResponse response, bool keep_alive) {
  keep_alive_ = keep_alive && !state_.stopping.load(std::memory_order_relaxed) && !is_client_outdated();
  ResponseFraming framing;
  framing.tls = transport_.is_tls();
  framing.keep_alive = keep_alive_;
  framing.http_1_0 = reader_.parser() && reader_.parser()->is_http_1_0();
  framing.head_method = reader_.parser() && reader_.parser()->is_head_method();
  response_ = std::move(response);
  std::string& out = worker_.scratch();
  out.clear();
  auto body = write_head(*response_, framing, worker_.date(), out);
  if (!body) {
    response_ = make_problem({ErrorCode::kInternal, "the server made an answer that is no valid HTTP"}, 500);
    body = write_head(*response_, framing, worker_.date(), out);
  }
  if (body->size() <= kShortBody) {
    out.append(*body);
  } else {
    body_ = *body;
  }
  return send(out);
}

Connection::Next Connection::send(std::string_view bytes) {
  phase_ = Phase::kWriting;
  sent_ = 0;
  const IoResult result = transport_.write(bytes);
  if (result.kind == Kind::kDone && result.bytes == bytes.size() && body_.empty()) return written();
  enter(Phase::kWriting, options_.write_timeout);
  out_ = bytes.substr(result.bytes);
  return result.kind == Kind::kDone ? Next::kAgain : want(result.kind);
}

Connection::Next Connection::write() {
  const std::string_view left =
      sent_ < out_.size() ? std::string_view(out_).substr(sent_) : body_.substr(sent_ - out_.size());
  const IoResult result = transport_.write(left);
  if (result.kind != Kind::kDone) return want(result.kind);
  const std::size_t before = sent_;
  sent_ += result.bytes;
  if (sent_ == out_.size() + body_.size()) return written();
  if (before / kStepBytes != sent_ / kStepBytes) enter(Phase::kWriting, options_.write_timeout);
  return Next::kAgain;
}

Connection::Next Connection::written() {
  out_.clear();
  if (out_.capacity() > kKeptBytes) std::string().swap(out_);
  body_ = {};
  response_.reset();
  answer_share_.release();
  if (std::exchange(continuing_, false)) {
    enter(Phase::kBody, options_.body_timeout);
    return Next::kAgain;
  }
  stage_done(&HttpObserver::answered);
  if (!keep_alive_) return begin_close(kLingerTimeout);
  if (discard_left_ == 0) return next_request();
  enter(Phase::kDiscard, options_.body_timeout);
  return Next::kAgain;
}

Connection::Next Connection::discard_body() {
  const IoResult result = reader_.discard(discard_left_);
  if (discard_left_ == 0) return next_request();
  return result.kind == Kind::kDone ? Next::kAgain : want(result.kind);
}

// A wait ends at once if the socket has bytes, but not if only OpenSSL holds bytes. So the connection asks
// has_pending() first.
Connection::Next Connection::next_request() {
  reader_.next_request();
  enter(Phase::kIdle, options_.idle_timeout);
  if (!reader_.empty()) {
    begin_head();
    return Next::kAgain;
  }
  if (transport_.has_pending() || state_.stopping.load(std::memory_order_relaxed)) return Next::kAgain;
  reader_.release_buffer();
  return Next::kWaitRead;
}

void Connection::begin_head() {
  since_ = SteadyClock::now();
  enter(Phase::kHead, options_.header_timeout, since_);
}

}  // namespace hearsay::http
