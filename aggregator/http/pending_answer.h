// The way of one answer from a handler, on any thread, back to the connection that waits for it.
#pragma once

#include "aggregator/http/asio_types.h"  // first: see there

#include <atomic>
#include <memory>
#include <optional>

#include "aggregator/http/message.h"

namespace hearsay::aggregator {

class PendingAnswer : public std::enable_shared_from_this<PendingAnswer> {
 public:
  enum class Outcome { kResponse, kDropped, kAborted };

  // `context` runs the connection. Late callers of Respond keep it alive, so that posting to it is always safe.
  explicit PendingAnswer(std::shared_ptr<asio::io_context> context) : context_(std::move(context)) {}

  // What the handler gets. Dropping every copy uncalled settles the answer as kDropped.
  static Respond make_respond(std::shared_ptr<PendingAnswer> answer);

  // Any thread. Only the first call counts.
  void settle(Outcome outcome, HttpResponse response);

  // The connection's thread only. After wait() has resumed, or settled() has been seen, outcome() and response() are
  // final.
  bool settled() const { return state_.load(std::memory_order_acquire) == State::kSettled; }
  Task<void> wait();
  Outcome outcome() const { return outcome_; }
  HttpResponse& response() { return response_; }

 private:
  enum class State { kOpen, kAwaited, kSettled };
  using Resume = asio::async_result<UseAwaitable, void()>::handler_type;

  void park(Resume resume);
  void post_resume();

  std::shared_ptr<asio::io_context> context_;
  std::atomic_flag claimed_;
  std::atomic<State> state_ = State::kOpen;
  Outcome outcome_ = Outcome::kDropped;
  HttpResponse response_;
  std::optional<Resume> resume_;
};

}  // namespace hearsay::aggregator
