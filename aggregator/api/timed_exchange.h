// Answers a request in time, whatever the work behind the answer waits for.
#pragma once

// <utility> before Asio: Boost 1.74's headers rely on it.
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "aggregator/http/message.h"

namespace hearsay::api {

// One exchange, which gets the first of two answers. Thread-safe.
class TimedExchange {
 public:
  // Answers `late` after `time`, unless answer() comes first. The timer needs a thread of `pool` that is not held up.
  static std::shared_ptr<TimedExchange> start(http::HttpExchange exchange, boost::asio::thread_pool& pool,
                                              std::chrono::milliseconds time, http::HttpResponse late);

  // Does nothing if there is an answer already.
  void answer(http::HttpResponse response);
  bool answered() const;
  // The request's body, also after the answer.
  const std::string& body() const { return body_; }

 private:
  TimedExchange(http::HttpExchange exchange, boost::asio::thread_pool& pool)
      : body_(exchange.request().body), timer_(pool), exchange_(std::in_place, std::move(exchange)) {}

  const std::string body_;
  mutable std::mutex mutex_;  // of the next two
  boost::asio::steady_timer timer_;
  std::optional<http::HttpExchange> exchange_;  // nothing: it is answered
};

}  // namespace hearsay::api
