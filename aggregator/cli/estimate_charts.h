// Draws the answers of the aggregator as charts.
#pragma once

#include <string>

#include "aggregator/charts/figure.h"
#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::cli {

// Returns a figure. One panel holds the answers that share an axis:
// - queries and measures of the same kind and unit
// - the rows of a measure by cases
// - the trends of a measure
// - a table: of one attribute as intervals, of several as a heat map
// `range` says for people which time the answers are about; empty: all of the task's time. Errors: kTaskMismatch,
// kLimitExceeded (more marks than people can look at), those of measures::parse() and measures::local_text().
Result<charts::Figure> figure_of(const Json& answers, const Task& task, const std::string& range);

}  // namespace hearsay::cli
