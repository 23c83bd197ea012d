// Times that cannot be meant, in requests and in new tasks.
#pragma once

#include <string>
#include <vector>

#include "aggregator/store/store.h"
#include "hearsay/task.h"

namespace hearsay::api {

// Whether the range can hold windows of the task. Errors: kInvalidArgument if an end looks like milliseconds or is not
// a multiple of the task's time_precision, `from` is not before `to`, or the range lies wholly outside the task.
Result<void> check_range(const Task& task, const store::WindowRange& range);

// Checks the times of a task that is to be created at `now`. Returns warnings about times that are legal and unlikely.
// Errors: kInvalidTask if the task is over already, or its start looks like milliseconds.
Result<std::vector<std::string>> check_times_of_new(const Task& task, UnixSeconds now);

}  // namespace hearsay::api
