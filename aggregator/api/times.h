// Checks times in requests and in new tasks for likely mistakes.
#pragma once

#include <string>
#include <vector>

#include "aggregator/store/store.h"
#include "hearsay/task.h"

namespace hearsay::api {

// Checks a range of windows. Errors: kInvalidArgument if `from` or `to` looks like milliseconds or is not a multiple of
// the task's time_precision, if `from` is not before `to`, or if the range lies outside the task.
Result<void> check_range(const Task& task, const store::WindowRange& range);

// Checks the times of a task that is created at `now`. Returns warnings about times that are legal but unlikely.
// Errors: kInvalidTask if the task is over already, or its start looks like milliseconds.
Result<std::vector<std::string>> check_times_of_new(const Task& task, UnixSeconds now);

}  // namespace hearsay::api
