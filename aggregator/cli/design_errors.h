// Prints the errors to expect from a fixed number of users, with the best task for the workload at each ε.
#pragma once

#include <string>

#include "aggregator/cli/accuracy_flags.h"
#include "aggregator/console/output.h"
#include "aggregator/planner/what_if.h"

namespace hearsay::cli {

// Prints the errors of every query at several ε. Also prints how much smaller the largest error is without an attribute
// or a query. Prints `next` at the end of the text output. Returns 0. Errors: the reason if no task answers the
// workload at the ε of `wish`.
Result<int> print_errors_of(const planner::Wish& wish, const AccuracyFlags& accuracy, console::OutputFormat format,
                            const std::string& next);

}  // namespace hearsay::cli
