// Handles the file that remembers which task an app reports to.
#pragma once

#include <string>

#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::sdk {

// Trust on first use: if the file does not exist, writes the task's id to the file; else checks that the file holds
// this id. If `file` is empty, does nothing.
//
// After a crash the file is whole or absent. If several processes or threads call check_pin() at the same time, one
// makes the file and the others check the file. Each waits for at most three seconds.
//
// Errors: kIo (also if the file holds anything but one id and a line's end), kTaskMismatch (another task is pinned),
// kInvalidArgument (the name holds a NUL character).
Result<void> check_pin(const std::string& file, const TaskId& task);

}  // namespace hearsay::sdk
