// Finds tasks that another daemon of the same store made, and that the registry does not know yet.
#pragma once

// <utility> stands before Asio, because Boost 1.74's headers need <utility> without including it.
#include <utility>

#include <atomic>
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

  // admit() reads the store on `thread`, which must end before this object. If the store is not `shared`, this class
  // does not read the store.
  TaskLookUp(TaskRegistry& tasks, boost::asio::thread_pool& thread, bool shared)
      : tasks_(tasks), thread_(thread), shared_(shared) {}

  // Admits an upload, or a request for a document, if the registry does not know the task. `unknown` is the registry's
  // error.
  // Reads the store at most once a second and for one request at a time. If the store has the task, passes the task to
  // `use`. Other requests get an answer that tells the client to try again.
  std::variant<http::HttpResponse, http::HandleRequest> admit(
      const TaskId& id, const Error& unknown, std::function<void(Found task, http::HttpExchange exchange)> use);

  // Finds the task as it is in the store now. Reads the store if other daemons may change the task. Errors: also those
  // of the store.
  Result<Found> current(const TaskId& id) const { return shared_ ? tasks_.look_up(id) : tasks_.find(id); }

  // Finds the task for an estimate or an export. If other daemons may change tasks and the registry does not know this
  // task, reads the store, and may wait for the store.
  Result<Found> find(const TaskId& id) const;

 private:
  TaskRegistry& tasks_;
  boost::asio::thread_pool& thread_;
  const bool shared_;
  std::atomic<bool> looking_ = false;  // true while a look-up of admit() runs
};

}  // namespace hearsay::api
