// Plans a list of queries for cells: a cell holds values that no query of the list tells apart.
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
  // The schema of the cells. An attribute of two cells is boolean. An attribute of more cells is an integer range from
  // 0.
  Schema schema;
  std::vector<Query> queries;  // for `schema`; as_written() returns the original texts
};

// Returns the list for cells. For the queries of the list, a report about cells can tell as much as any report about
// values. Returns nothing if the workload is no list of queries, or if cuts_for() (aggregator/compiler/coarse_query.h)
// cuts no attribute.
std::optional<CoarseList> coarse_list(const Schema& schema, const Workload& workload);

// Returns how many values the cut attributes have together.
std::size_t values_cut(const CoarseList& list, const Schema& schema);

// Turns a task for the list's schema into a task with cuts for `schema`. Errors: those of Task::create().
Result<Task> with_cuts(const Task& task, const CoarseList& list, const Schema& schema);

}  // namespace hearsay::planner
