// What an analyst should know before she writes a task.
#pragma once

#include <string>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/task.h"

namespace hearsay::cli {

// Returns a sentence for each: attributes that the workload says nothing about, and an ε beyond what is commonly
// thought private.
std::vector<std::string> warnings_of(const TaskSpec& task, const planner::Workload& workload);

}  // namespace hearsay::cli
