// Which call a request means.
#pragma once

#include <optional>
#include <string_view>

#include "aggregator/api/auth.h"
#include "hearsay/task.h"

namespace hearsay::aggregator {

enum class Call : std::uint8_t {
  kGetTask,
  kListTasks,
  kCreateTask,
  kCloseTask,
  kDeleteTask,
  kPostReports,
  kEstimate,
  kGetTally,
};

struct Route {
  Call call;
  Role role;
  std::optional<TaskId> task;  // absent for kListTasks and kCreateTask
};

// Errors: kNotFound, kMethodNotAllowed, kUnrecognizedTask (a task segment that is no task id).
Result<Route> route(std::string_view method, std::string_view path);

// The methods a path allows, comma-separated; empty for an unknown path.
std::string allowed_methods(std::string_view path);

}  // namespace hearsay::aggregator
