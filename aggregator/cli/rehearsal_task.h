// A task for made-up people.
#pragma once

#include <cstddef>

#include "hearsay/task.h"

namespace hearsay::cli {

// The same agreement as a task of its own for people who report now: under another title, for a day at least. So a
// rehearsal can be repeated, and no made-up report meets a real one. The present window is the last of `windows`; with
// more than one, reports do not expire. Throws EntropyError.
TaskSpec for_rehearsal(TaskSpec spec, std::size_t windows = 1);

}  // namespace hearsay::cli
