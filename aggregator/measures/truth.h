// What a measure is among people whose records are known: the truth that a rehearsal's answers are held against.
#pragma once

#include <span>
#include <vector>

#include "aggregator/measures/measure.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::measures {

// One value for each row of questions(), in the same order. A value is NaN where nobody is in the subpopulation, or
// where a ratio's denominator is 0. Cost: people times rows.
std::vector<double> true_values(const Task& task, const Measure& measure, std::span<const Record> people);

}  // namespace hearsay::measures
