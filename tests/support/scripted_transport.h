// A transport that answers from a script and records the requests.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "hearsay/transport.h"

namespace hearsay::tests {

// Thread-safe, except that `script` and `before_answer` must not change while an exchange may run.
class ScriptedTransport final : public sdk::Transport {
 public:
  struct Request {
    std::string path;
    std::string content_type;
    std::vector<std::uint8_t> body;
    std::chrono::milliseconds timeout;
  };

  Result<sdk::TransportResponse> get(std::string_view path, const sdk::ExchangeLimits& limits) override {
    return next({std::string(path), "", {}, limits.timeout}, limits);
  }
  Result<sdk::TransportResponse> post(std::string_view path, std::string_view content_type,
                                      std::span<const std::uint8_t> body, const sdk::ExchangeLimits& limits) override {
    return next({std::string(path), std::string(content_type), {body.begin(), body.end()}, limits.timeout}, limits);
  }

  // The answers, in order. After the last answer, every exchange is a connection failure.
  std::deque<Result<sdk::TransportResponse>> script;
  std::vector<Request> requests;
  std::function<void(const sdk::ExchangeLimits&)> before_answer;  // the exchange calls this before it answers

 private:
  Result<sdk::TransportResponse> next(Request request, const sdk::ExchangeLimits& limits) {
    if (limits.cancellation != nullptr && limits.cancellation->requested()) return cancelled();
    {
      const std::lock_guard lock(mutex_);
      requests.push_back(std::move(request));
    }
    if (before_answer) before_answer(limits);
    if (limits.cancellation != nullptr && limits.cancellation->requested()) return cancelled();
    const std::lock_guard lock(mutex_);
    if (script.empty()) return Error{ErrorCode::kConnectionFailed, "the script is exhausted"};
    auto answer = script.front();
    script.pop_front();
    return answer;
  }
  static Error cancelled() { return {ErrorCode::kCancelled, "cancelled"}; }

  std::mutex mutex_;
};

inline sdk::TransportResponse answer(unsigned status, std::string body = "") {
  sdk::TransportResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

}  // namespace hearsay::tests
