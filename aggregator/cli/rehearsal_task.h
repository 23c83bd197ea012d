// Makes the task under which a rehearsal's people report.
#pragma once

#include <cstddef>

#include "hearsay/task.h"

namespace hearsay::cli {

// Returns `spec` with another title and with times for people who report now. The new task differs from every other, so
// a rehearsal can be repeated, and no report of a rehearsal gets into a real task. The present window is the last of
// `windows`, and the task stays open for a day at least. With several windows, reports do not expire. Throws
// EntropyError.
TaskSpec for_rehearsal(TaskSpec spec, std::size_t windows = 1);

}  // namespace hearsay::cli
