// Finds out which call a request means.
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
  Role role;                   // the role that the call needs; for kUploader see require_upload()
  std::optional<TaskId> task;  // absent for paths without a task
  std::size_t caller = 0;      // the place of the caller's token, if the call needs a token; set by authorized_route()
  std::string caller_name{};   // the name of the token, for calls of administrators
};

// Finds the call. Errors: kNotFound, kMethodNotAllowed, kUnrecognizedTask (the path's task is no task id).
Result<Route> route(std::string_view method, std::string_view path);

// Finds the call, and checks that the caller may make it. Needs only the head of a request. Errors: those of route(),
// kUnauthorized, kForbidden.
Result<Route> authorized_route(const Authenticator& authenticator, std::string_view method, std::string_view path,
                               std::string_view authorization);

// Returns a call's name in the log, such as "close_task".
std::string_view call_name(Call call);

// Returns the methods that a path allows, separated by commas. Empty for an unknown path.
std::string allowed_methods(std::string_view path);

}  // namespace hearsay::api
