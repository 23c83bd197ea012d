// The groups of an attribute's values that a task's reports can distinguish, in the order of a measure's rows.
#pragma once

#include <vector>

#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::measures {

// Returns one set for each value of the attribute. If the task cuts the attribute into cells, returns the cells.
std::vector<ValueSet> cells_of(const Task& task, std::uint32_t attribute);

// Returns the query that holds if the attribute's value is in `values`.
Query in(std::uint32_t attribute, ValueSet values);

}  // namespace hearsay::measures
