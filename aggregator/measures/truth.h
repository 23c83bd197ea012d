// Computes a measure's true value among people whose records are known. A rehearsal compares its answers with this
// value.
#pragma once

#include <span>
#include <vector>

#include "aggregator/measures/measure.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::measures {

// Returns one value for each row of questions(), in the same order. A value is NaN if nobody is in the subpopulation,
// or if a ratio's denominator is 0. Cost: about people times rows.
std::vector<double> true_values(const Task& task, const Measure& measure, std::span<const Record> people);

}  // namespace hearsay::measures
