// Where the one answer to a request arrives, from whatever thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "aggregator/http/worker.h"

namespace hearsay::aggregator {

// Everything but settle() is called on the connection's thread, in this order: open(), await(), take().
class AnswerSlot {
 public:
  // Before a request is handed out; `connection` is kept alive until its answer comes.
  void open(std::shared_ptr<Connection> connection) {
    state_.store(State::kOpen, std::memory_order_relaxed);
    connection_ = std::move(connection);
  }
  // True if the answer is still to come: `connection` will be resumed. False if it is here.
  bool await() {
    State expected = State::kOpen;
    if (state_.compare_exchange_strong(expected, State::kAwaited, std::memory_order_acq_rel)) return true;
    connection_.reset();
    return false;
  }
  // Any thread, once after each open(). The slot may be gone when it returns.
  void settle(std::optional<HttpResponse> response, const std::shared_ptr<Answers>& answers) {
    response_ = std::move(response);
    const std::shared_ptr<Answers> kept = answers;  // which lies in the connection, as a rule
    if (state_.exchange(State::kSettled, std::memory_order_acq_rel) == State::kAwaited) {
      kept->push(std::move(connection_));
    }
  }
  // Nothing if the request was dropped unanswered.
  std::optional<HttpResponse> take() { return std::exchange(response_, std::nullopt); }

 private:
  enum class State { kOpen, kAwaited, kSettled };

  std::atomic<State> state_ = State::kOpen;
  std::optional<HttpResponse> response_;  // written by settle(), read once state_ says so
  std::shared_ptr<Connection> connection_;
};

}  // namespace hearsay::aggregator
