// Tasks that the registry does not know, because another daemon of the same store made them a moment ago.
#pragma once

// <utility> before Asio: Boost 1.74's headers rely on it.
#include <utility>

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <variant>

#include "aggregator/api/task_registry.h"
#include "aggregator/http/message.h"

namespace hearsay::api {

// Thread-safe.
class TaskLookUp {
 public:
  using Found = std::shared_ptr<const store::StoredTask>;

  // Looks on `thread`, which must end before the object does. If the store is not `shared`, there is nothing to look
  // for.
  TaskLookUp(TaskRegistry& tasks, boost::asio::thread_pool& thread, bool shared)
      : tasks_(tasks), thread_(thread), shared_(shared) {}

  // What to do with a request of anybody for a task that find() failed for with `unknown`: once a second the store is
  // read, and `use` is given the task; other requests are to come again.
  std::variant<http::HttpResponse, http::HandleRequest> admit(
      const TaskId& id, const Error& unknown, std::function<void(Found task, http::HttpExchange exchange)> use);

  // For callers with a token, on threads that may wait for the store: reads it if the registry does not know the task.
  Result<Found> find(const TaskId& id) const;

 private:
  TaskRegistry& tasks_;
  boost::asio::thread_pool& thread_;
  const bool shared_;
};

}  // namespace hearsay::api
