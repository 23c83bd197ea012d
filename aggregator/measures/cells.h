// The values of an attribute that a task tells apart, in the order of a measure's rows.
#pragma once

#include <vector>

#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::measures {

// The attribute's own values, or its cells where the task cuts it.
std::vector<ValueSet> cells_of(const Task& task, std::uint32_t attribute);

// The query that the attribute's value is one of these.
Query in(std::uint32_t attribute, ValueSet values);

}  // namespace hearsay::measures
