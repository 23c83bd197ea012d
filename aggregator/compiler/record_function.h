// Evaluates a compiled query on every record.
#pragma once

#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "hearsay/task.h"

namespace hearsay::compiler {

// Returns offset + Σ g_j·a_j(x) of every record x of the task's asked_schema(), a being the task's arrangement. The
// query must have no terms. Cost: records times coordinates. Throws WorkStopped.
std::vector<double> record_function(const Task& task, const LinearQuery& linear, Work& work);

}  // namespace hearsay::compiler
