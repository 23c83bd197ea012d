// Evaluates the linear form of a compiled query on every record.
#pragma once

#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "hearsay/task.h"

namespace hearsay::compiler {

// Returns offset + Σ_j g_j·a_j(x) for every record x of the task's asked_schema(). g are the query's weights, and a(x)
// are the record's coordinates. The query must have no terms. Cost: records times coordinates. Throws WorkStopped.
std::vector<double> record_function(const Task& task, const LinearQuery& linear, Work& work);

}  // namespace hearsay::compiler
