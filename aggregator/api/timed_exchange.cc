#include "aggregator/api/timed_exchange.h"

namespace hearsay::api {

std::shared_ptr<TimedExchange> TimedExchange::start(http::HttpExchange exchange, boost::asio::thread_pool& pool,
                                                    std::chrono::milliseconds time, http::HttpResponse late) {
  std::shared_ptr<TimedExchange> timed(new TimedExchange(std::move(exchange), pool));
  timed->timer_.expires_after(time);
  timed->timer_.async_wait([timed, late = std::move(late)](const boost::system::error_code& cancelled) {
    if (!cancelled) timed->answer(late);
  });
  return timed;
}

void TimedExchange::answer(http::HttpResponse response) {
  std::optional<http::HttpExchange> unanswered;
  {
    const std::lock_guard lock(mutex_);
    if (!exchange_) return;
    unanswered.emplace(*std::move(exchange_));
    exchange_.reset();
    timer_.cancel();
  }
  (*std::move(unanswered)).respond(std::move(response));
}

bool TimedExchange::answered() const {
  const std::lock_guard lock(mutex_);
  return !exchange_;
}

}  // namespace hearsay::api
