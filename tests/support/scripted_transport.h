// A transport that answers from a script and remembers what it was asked.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "hearsay/transport.h"

namespace hearsay::tests {

class ScriptedTransport final : public sdk::Transport {
 public:
  struct Request {
    std::string path;
    std::string content_type;
    std::vector<std::uint8_t> body;
  };

  Result<sdk::TransportResponse> get(std::string_view path) override { return next({std::string(path), "", {}}); }
  Result<sdk::TransportResponse> post(std::string_view path, std::string_view content_type,
                                      std::span<const std::uint8_t> body) override {
    return next({std::string(path), std::string(content_type), {body.begin(), body.end()}});
  }
  void cancel() override { script.assign(1, Error{ErrorCode::kCancelled, "cancelled"}); }

  // Answers in order; an exhausted script is a connection failure.
  std::deque<Result<sdk::TransportResponse>> script;
  std::vector<Request> requests;

 private:
  Result<sdk::TransportResponse> next(Request request) {
    requests.push_back(std::move(request));
    if (script.empty()) return Error{ErrorCode::kConnectionFailed, "the script is exhausted"};
    auto answer = script.front();
    script.pop_front();
    return answer;
  }
};

inline sdk::TransportResponse answer(unsigned status, std::string body = "") {
  sdk::TransportResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

}  // namespace hearsay::tests
