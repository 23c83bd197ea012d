// The answers of the aggregator as charts.
#pragma once

#include <string>

#include "aggregator/charts/figure.h"
#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::cli {

// One panel for what shares an axis: queries and measures of the same kind and unit, the rows of a measure by cases,
// trends of a measure, a table of one attribute as intervals and of several as a heat map. `range`: what of the task's
// time the answers are about, for people; empty: all. Errors: kTaskMismatch, kLimitExceeded (more marks than people can
// look at), those of measures::parse() and measures::local_text().
Result<charts::Figure> figure_of(const Json& answers, const Task& task, const std::string& range);

}  // namespace hearsay::cli
