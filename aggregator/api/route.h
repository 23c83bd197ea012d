// Which call a request means.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aggregator/api/auth.h"
#include "hearsay/task.h"

namespace hearsay::api {

enum class Call : std::uint8_t {
  kGetTask,
  kListTasks,
  kCreateTask,
  kCloseTask,
  kDeleteTask,
  kPostReports,
  kEstimate,
  kGetTally,
  kGetStatus,
  kMakeBackup,
};

struct Route {
  Call call;
  Role role;                   // kUploader: only where the task does not take reports from anybody
  std::optional<TaskId> task;  // absent for calls that concern no single task
  std::size_t caller = 0;      // after authorized_route(), of a call that needs a token: the token's place in the list
  std::string caller_name{};   // of an administrator's call: the token's name
};

// Errors: kNotFound, kMethodNotAllowed, kUnrecognizedTask (a task segment that is no task id).
Result<Route> route(std::string_view method, std::string_view path);

// The same for whoever may make the call; all it looks at is in a request's head. Errors: also kUnauthorized and
// kForbidden.
Result<Route> authorized_route(const Authenticator& authenticator, std::string_view method, std::string_view path,
                               std::string_view authorization);

// A call's name in the log, e.g. "close_task".
std::string_view call_name(Call call);

// The methods a path allows, comma-separated; empty for an unknown path.
std::string allowed_methods(std::string_view path);

}  // namespace hearsay::api
