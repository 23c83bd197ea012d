// Prints the errors that a number of people leaves, at several ε.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/cli/accuracy_flags.h"
#include "aggregator/console/output.h"
#include "aggregator/planner/what_if.h"
#include "hearsay/task.h"

namespace hearsay::cli {

struct ErrorReport {
  struct Line {
    std::string query;
    std::vector<Result<planner::ExpectedError>> errors;  // one for each ε
  };
  std::vector<std::string> epsilons;
  std::vector<Line> lines;
};

// Returns 0.5, 1, 2, 4 and `given`, ascending.
std::vector<Epsilon> several_epsilons(const Epsilon& given);

// Adds the next ε: for each query, its error under `task`. If there is no task, adds the reason to each query. The
// report must have a line for each query, and may have more.
void add_errors(ErrorReport& report, const Result<Task>& task, const std::vector<Query>& queries,
                const AccuracyFlags& accuracy);

// Returns "4,000 users: …", and for users per window, how long a window is.
std::string heading_of(const AccuracyFlags& accuracy, const TaskSpec& times);

// Returns the lines with the largest errors at the ε of index `place`, at most 20 of them, and remarks.
std::string to_text(const ErrorReport& report, std::size_t place);
console::Table to_table(const ErrorReport& report);  // every line, for CSV
Json to_json(const ErrorReport& report);

Json to_json(const Result<planner::ExpectedError>& error);

}  // namespace hearsay::cli
