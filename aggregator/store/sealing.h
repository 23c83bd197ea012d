// Says which windows of a task are due to be sealed.
#pragma once

#include "hearsay/clock.h"
#include "hearsay/task.h"

namespace hearsay::store {

// Returns the first window that is not expired at `now`, but at most the task's end. Returns 0 if windows do not
// expire.
UnixSeconds first_live_window(const Task& task, UnixSeconds now);

}  // namespace hearsay::store
