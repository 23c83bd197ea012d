// Draws the aggregator's answers as charts.
#pragma once

#include <string>

#include "aggregator/charts/figure.h"
#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::cli {

// Returns a figure. Each panel has the answers that can share an axis:
// - queries and measures of the same kind and unit
// - the rows of a measure by cases
// - the trends of a measure
// - a table: one attribute as intervals, several attributes as a heat map
// `range` says which time the answers are about; empty: all of the task's time. Errors: kTaskMismatch (the answers do
// not fit the task), kLimitExceeded (more than 50,000 marks), those of measures::local_text().
Result<charts::Figure> figure_of(const Json& answers, const Task& task, const std::string& range);

}  // namespace hearsay::cli
