// Finds the query of a class that needs the most users in a task.
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
  // Each number is the largest over the class, except kurtosis. The kurtosis is that of `query`, or an upper bound.
  // `exact` says that `worst` and `worst_among_reporters` are exact.
  ReportVariance variance;
  // The query with the largest worst_among_reporters. If the numbers are bounds, a description of the queries in words.
  std::string query;
};

// Returns the symmetry of a task that candidates() makes for a class. Such tasks ask about attributes of one kind and
// size equally often.
Symmetry symmetry_of(const Task& task);

// Returns true if worst_query() searches the workload, a class, by parts (query_classes.h). worst_query() does so for
// conjunctions and functions, unless the task asks other questions than parities of one bit.
bool has_parts(const Task& task, const Workload& workload);

// Returns the worst query of the workload. If the workload has parts, `parts` are its parts for the task's symmetry. In
// a mixture, worst_query() multiplies the variances of each part by the part's weight. Errors: those of compiling the
// queries, of class_bound(), worst_product() and function_bound(); kLimitExceeded for too many choices of attributes,
// and for ranges, prefixes, boxes and means unless the task uses `sampled` on `characters`. Cost: seconds at most.
Result<WorstQuery> worst_query(const Task& task, const Workload& workload, const std::vector<ClassPart>& parts);

}  // namespace hearsay::planner
