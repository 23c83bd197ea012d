// Answers a request in time, also if the work for the answer takes too long.
#pragma once

// <utility> stands before Asio, because Boost 1.74's headers need <utility> without including it.
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

// Sends one answer to an exchange: the result of the work, or, if the work is late, the answer `late`. Thread-safe.
class TimedExchange {
 public:
  // Sends the answer `late` after `time`, unless answer() was called before. A thread of `pool` must be free for the
  // timer.
  static std::shared_ptr<TimedExchange> start(http::HttpExchange exchange, boost::asio::thread_pool& pool,
                                              std::chrono::milliseconds time, http::HttpResponse late);

  // Sends the answer. Does nothing if an answer was sent before.
  void answer(http::HttpResponse response);
  bool answered() const;
  // Returns the request's body. May also be called after the answer.
  const std::string& body() const { return body_; }

 private:
  TimedExchange(http::HttpExchange exchange, boost::asio::thread_pool& pool)
      : body_(exchange.request().body), timer_(pool), exchange_(std::in_place, std::move(exchange)) {}

  const std::string body_;
  mutable std::mutex mutex_;  // guards timer_ and exchange_
  boost::asio::steady_timer timer_;
  std::optional<http::HttpExchange> exchange_;  // unset after the answer
};

}  // namespace hearsay::api
