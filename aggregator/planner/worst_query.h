// The most that any query of a class needs in a task.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregator/planner/query_classes.h"
#include "aggregator/planner/report_variance.h"
#include "aggregator/planner/workload.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

struct WorstQuery {
  // Each number the largest over the class, but kurtosis that of the query below; `exact` if the largest two are.
  ReportVariance variance;
  std::string query;  // the one with the largest worst_among_reporters, or in words where that is a bound
};

// Of tasks as candidates() makes them for a class: they ask attributes of one kind and size alike.
Symmetry symmetry_of(const Task& task);

// `parts` are those of the workload, a class, for the task's symmetry. Errors: those of compiling the queries and of
// class_bound(). Cost: seconds at most.
Result<WorstQuery> worst_query(const Task& task, const Workload& workload, const std::vector<ClassPart>& parts);

}  // namespace hearsay::planner
