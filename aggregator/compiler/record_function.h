// A compiled query as the function of records that it is.
#pragma once

#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "hearsay/task.h"

namespace hearsay::compiler {

// offset + Σ g_j·a_j(x) of every record of the task's asked_schema(). For the task's arrangement; the query has no
// terms. Cost: records times coordinates. Throws WorkStopped.
std::vector<double> record_function(const Task& task, const LinearQuery& linear, Work& work);

}  // namespace hearsay::compiler
