// Visits the reports of several databases in the order of their windows.
#pragma once

#include <functional>
#include <vector>

#include "aggregator/store/spread/spread.h"

namespace hearsay::store::spread {

// Calls `visit` for every report of the task in these databases, by ascending windows; within a window in any order.
// Reads each database on a thread of its own, on one consistent view of that database. `visit` is called on these
// threads, one call at a time. Stops at the first error and returns this error; an error of a database names the
// database.
Result<void> visit_by_window(const std::vector<const Member*>& members, const Task& task,
                             const std::function<Result<void>(const ReportView&)>& visit);

}  // namespace hearsay::store::spread
