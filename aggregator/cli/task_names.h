// Finds the task that a person names.
#pragma once

#include <string>
#include <vector>

#include "aggregator/cli/remote.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::cli {

struct ListedTask {
  std::string id;
  std::string title;
  bool is_closed;
};

// Returns the id of the task that `text` means: its title, or at least the first 4 characters of its title or id.
// Errors: kUnrecognizedTask (no such task; the message names the nearest title), kInvalidArgument (several such tasks;
// the message lists them).
Result<std::string> task_named(const std::string& text, const std::vector<ListedTask>& tasks);

// As task_named(), for the tasks of the server. A whole id is returned as it is, without a call. Errors: those of
// call() and task_named().
Result<std::string> resolve_task(const Server& server, const std::string& text);

}  // namespace hearsay::cli
