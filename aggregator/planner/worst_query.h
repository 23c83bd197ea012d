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

// Whether the worst query of the workload, a class, is found by parts (query_classes.h): of conjunctions and functions,
// unless the task asks other questions than parities of one bit.
bool has_parts(const Task& task, const Workload& workload);

// Over all queries of the workload. `parts` are those of a workload that has parts, for the task's symmetry. In a
// mixture the variances of a part count by its weight. Errors: those of compiling the queries, of class_bound(),
// worst_product() and function_bound(); kLimitExceeded for ranges, prefixes, boxes and means on all but `sampled` on
// characters, and for too many choices of attributes. Cost: seconds at most.
Result<WorstQuery> worst_query(const Task& task, const Workload& workload, const std::vector<ClassPart>& parts);

}  // namespace hearsay::planner
