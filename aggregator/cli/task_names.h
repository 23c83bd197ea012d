// A task as people name it.
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

// Which of the tasks `text` means: a title, or the beginning of a title or an id, of at least 4
// characters. Errors: kUnrecognizedTask (none; the message names the nearest title), kInvalidArgument (several; the
// message lists them).
Result<std::string> task_named(const std::string& text, const std::vector<ListedTask>& tasks);

// The id of the task that `text` means. A whole id is taken as it is, without a call. Errors: those of call() and
// task_named().
Result<std::string> resolve_task(const Server& server, const std::string& text);

}  // namespace hearsay::cli
