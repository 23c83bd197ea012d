#include "aggregator/api/route.h"

#include <algorithm>
#include <array>
#include <string>

#include "common/base/try.h"

namespace hearsay::api {
namespace {

constexpr std::string_view kTasks = "/v1/tasks";

struct Entry {
  std::string_view method;
  bool names_task;          // true for paths that begin with /v1/tasks/{task}
  std::string_view suffix;  // the path after {task}, or the whole path if there is no {task}
  Call call;
  Role role;
  std::string_view name;
};

constexpr std::array kCalls{
    Entry{"GET", false, kTasks, Call::kListTasks, Role::kAnalyst, "list_tasks"},
    Entry{"POST", false, kTasks, Call::kCreateTask, Role::kAdmin, "create_task"},
    Entry{"GET", true, "", Call::kGetTask, Role::kAnyone, "get_task"},
    Entry{"DELETE", true, "", Call::kDeleteTask, Role::kAdmin, "delete_task"},
    Entry{"POST", true, "/close", Call::kCloseTask, Role::kAdmin, "close_task"},
    Entry{"POST", true, "/reports", Call::kPostReports, Role::kUploader, "post_reports"},
    Entry{"POST", true, "/estimates", Call::kEstimate, Role::kAnalyst, "estimate"},
    Entry{"GET", true, "/tally", Call::kGetTally, Role::kAnalyst, "get_tally"},
    Entry{"GET", false, "/v1/status", Call::kGetStatus, Role::kAdmin, "get_status"},
    Entry{"POST", false, "/v1/backups", Call::kMakeBackup, Role::kAdmin, "make_backup"},
};

struct Path {
  bool names_task = false;
  std::string_view task;
  std::string_view suffix;
};

Path split(std::string_view path) {
  if (!path.starts_with(kTasks) || path.size() == kTasks.size() || path[kTasks.size()] != '/') return {false, {}, path};
  path.remove_prefix(kTasks.size() + 1);
  const std::size_t slash = path.find('/');
  const std::string_view task = path.substr(0, slash);
  const std::string_view suffix = slash == std::string_view::npos ? std::string_view{} : path.substr(slash);
  return {true, task, suffix};
}

bool matches(const Entry& entry, const Path& path) {
  return entry.names_task == path.names_task && entry.suffix == path.suffix &&
         (!entry.names_task || !path.task.empty());
}

}  // namespace

Result<Route> route(std::string_view method, std::string_view path) {
  const Path parts = split(path);
  bool path_exists = false;
  for (const Entry& entry : kCalls) {
    if (!matches(entry, parts)) continue;
    path_exists = true;
    if (entry.method != method) continue;
    Route found{entry.call, entry.role, std::nullopt, 0, {}};
    if (entry.names_task) {
      const auto id = TaskId::parse(parts.task);
      if (!id) return Error{ErrorCode::kUnrecognizedTask, "the path's task is not a task id"};
      found.task = *id;
    }
    return found;
  }
  if (path_exists) return Error{ErrorCode::kMethodNotAllowed, "this path does not allow the method"};
  return Error{ErrorCode::kNotFound, "there is nothing at this path"};
}

Result<Route> authorized_route(const Authenticator& authenticator, std::string_view method, std::string_view path,
                               std::string_view authorization) {
  HEARSAY_TRY(Route found, route(method, path));
  HEARSAY_TRY(const auto token, found.call == Call::kPostReports
                                    ? authenticator.require_upload(*found.task, authorization)
                                    : authenticator.require(found.role, authorization));
  found.caller = token.value_or(0);
  if (found.role == Role::kAdmin) found.caller_name = authenticator.name(found.caller);
  return found;
}

std::string_view call_name(Call call) {
  return std::find_if(kCalls.begin(), kCalls.end(), [call](const Entry& entry) { return entry.call == call; })->name;
}

std::string allowed_methods(std::string_view path) {
  std::string methods;
  for (const Entry& entry : kCalls) {
    if (!matches(entry, split(path))) continue;
    if (!methods.empty()) methods += ", ";
    methods += entry.method;
  }
  return methods;
}

}  // namespace hearsay::api
