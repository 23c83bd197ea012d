// Warns about a task before `hearsay design` writes the task.
#pragma once

#include <string>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/task.h"

namespace hearsay::cli {

// Returns one sentence for each warning: attributes that no query names, and an ε above 8.
std::vector<std::string> warnings_of(const TaskSpec& task, const planner::Workload& workload);

}  // namespace hearsay::cli
