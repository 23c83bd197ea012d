// Prints what a fixed number of users gets from the tasks that are best for a workload.
#pragma once

#include <string>

#include "aggregator/cli/accuracy_flags.h"
#include "aggregator/console/output.h"
#include "aggregator/planner/what_if.h"

namespace hearsay::cli {

// The errors of every query at several ε, of the best task at each, and how much the largest falls if something is not
// asked. `next` ends the text. Returns 1 if no task answers the workload at its own ε.
Result<int> print_errors_of(const planner::Wish& wish, const AccuracyFlags& accuracy, console::OutputFormat format,
                            const std::string& next);

}  // namespace hearsay::cli
