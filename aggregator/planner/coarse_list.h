// A list of queries planned for the cells of values that it tells apart.
#pragma once

#include <optional>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"
#include "hearsay/task.h"

namespace hearsay::planner {

struct CoarseList {
  std::vector<Cuts> cuts;
  // Cells as values: an attribute of two cells is boolean, one of more is an integer range from 0.
  Schema schema;
  std::vector<Query> queries;  // of this schema, shown as they were written
};

// Nothing if the workload is no list of queries, or tells all values of its integer ranges apart. Of what a report
// about values can say, a report about cells can say as much about these queries.
std::optional<CoarseList> coarse_list(const Schema& schema, const Workload& workload);

// The values of the attributes that are cut.
std::size_t values_cut(const CoarseList& list, const Schema& schema);

// A task for the list's schema as one for the schema that was cut. Errors: those of Task::create().
Result<Task> with_cuts(const Task& task, const CoarseList& list, const Schema& schema);

}  // namespace hearsay::planner
