// The values of an attribute that a task tells apart, in the order of a measure's rows.
#pragma once

#include <vector>

#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::measures {

// Returns the attribute's own values, or its cells if the task cuts the attribute.
std::vector<ValueSet> cells_of(const Task& task, std::uint32_t attribute);

// Returns the query "the attribute's value is one of these".
Query in(std::uint32_t attribute, ValueSet values);

}  // namespace hearsay::measures
