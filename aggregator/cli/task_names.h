// Finds a task by its id, its title, or the beginning of either.
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

// Returns the id of the task that `text` names. `text` is the whole title, or the first characters of the title or id,
// at least 4. Errors: kUnrecognizedTask (no such task; the message names the nearest title), kInvalidArgument (several
// such tasks; the message lists them).
Result<std::string> task_named(const std::string& text, const std::vector<ListedTask>& tasks);

// Like task_named(), for the tasks of the server. If `text` is a whole id, returns it without a call. Errors: those of
// call() and task_named().
Result<std::string> resolve_task(const Server& server, const std::string& text);

}  // namespace hearsay::cli
