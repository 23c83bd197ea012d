#include "aggregator/api/task_look_up.h"

#include <boost/asio/post.hpp>
#include <chrono>

#include "aggregator/api/error_answer.h"

namespace hearsay::api {
namespace {

// Hides a failure of the store, because the message may name hosts and the caller may have no token.
Error for_strangers(const Error& error) {
  if (error.code == ErrorCode::kUnrecognizedTask) return error;
  return {ErrorCode::kStoreFailed, "the store takes no reports: try again later"};
}

Error try_again() { return {ErrorCode::kOverloaded, "the aggregator has not looked for this task yet: try again"}; }

}  // namespace

std::variant<http::HttpResponse, http::HandleRequest> TaskLookUp::admit(
    const TaskId& id, const Error& unknown, std::function<void(Found task, http::HttpExchange exchange)> use) {
  if (!shared_) return error_answer(unknown);
  // Only one look-up runs at a time. Otherwise more and more requests would wait for a store that does not answer.
  if (looking_ || !tasks_.takes_look_up(std::chrono::steady_clock::now())) return error_answer(try_again());
  return [this, id, use = std::move(use)](http::HttpExchange exchange) {
    if (looking_.exchange(true)) return std::move(exchange).respond(error_answer(try_again()));
    auto shared = std::make_shared<http::HttpExchange>(std::move(exchange));  // shared, because Asio copies functions
    boost::asio::post(thread_, [this, id, use, shared] {
      auto found = tasks_.look_up(id);
      looking_ = false;
      if (!found) return std::move(*shared).respond(error_answer(for_strangers(found.error())));
      use(*std::move(found), std::move(*shared));
    });
  };
}

Result<TaskLookUp::Found> TaskLookUp::find(const TaskId& id) const {
  auto found = tasks_.find(id);
  return found || !shared_ ? found : tasks_.look_up(id);
}

}  // namespace hearsay::api
