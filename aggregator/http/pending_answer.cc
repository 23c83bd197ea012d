#include "aggregator/http/pending_answer.h"

#include <boost/asio/post.hpp>

namespace hearsay::aggregator {

namespace {

// Shared by the copies of one Respond; the last one to go says so.
class Ticket {
 public:
  explicit Ticket(std::shared_ptr<PendingAnswer> answer) : answer_(std::move(answer)) {}
  ~Ticket() { answer_->settle(PendingAnswer::Outcome::kDropped, {}); }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  void respond(HttpResponse response) { answer_->settle(PendingAnswer::Outcome::kResponse, std::move(response)); }

 private:
  std::shared_ptr<PendingAnswer> answer_;
};

}  // namespace

Respond PendingAnswer::make_respond(std::shared_ptr<PendingAnswer> answer) {
  auto ticket = std::make_shared<Ticket>(std::move(answer));
  return [ticket = std::move(ticket)](HttpResponse response) { ticket->respond(std::move(response)); };
}

void PendingAnswer::settle(Outcome outcome, HttpResponse response) {
  if (claimed_.test_and_set(std::memory_order_acq_rel)) return;
  outcome_ = outcome;
  response_ = std::move(response);
  if (state_.exchange(State::kSettled, std::memory_order_acq_rel) == State::kAwaited) post_resume();
}

Task<void> PendingAnswer::wait() {
  UseAwaitable token;
  auto initiation = [this](auto resume) { park(std::move(resume)); };
  co_await asio::async_initiate<UseAwaitable, void()>(initiation, token);
}

void PendingAnswer::park(Resume resume) {
  resume_.emplace(std::move(resume));
  State expected = State::kOpen;
  if (!state_.compare_exchange_strong(expected, State::kAwaited, std::memory_order_acq_rel)) post_resume();
}

void PendingAnswer::post_resume() {
  Resume resume = std::move(*resume_);
  resume_.reset();
  asio::post(*context_, std::move(resume));
}

}  // namespace hearsay::aggregator
