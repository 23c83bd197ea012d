// Makes the task under which the people of a rehearsal report.
#pragma once

#include <cstddef>

#include "hearsay/task.h"

namespace hearsay::cli {

// Returns `spec` with a new title and new times. The title contains random characters, so the task differs from all
// others: a rehearsal can be repeated, and the rehearsal's reports do not get into a real task. The task has at least
// `windows` windows. The current time is in window number `windows`, and the task stays open for at least a day. With
// several windows, reports do not expire. Throws EntropyError.
TaskSpec for_rehearsal(TaskSpec spec, std::size_t windows = 1);

}  // namespace hearsay::cli
