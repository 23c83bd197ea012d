// Prints the errors to expect from a number of people, at several ε.
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

// Adds the errors at the next ε: the error of each query under `task`. If `task` is an error, adds this error for each
// query. The report must have a line for each query, and may have more lines.
void add_errors(ErrorReport& report, const Result<Task>& task, const std::vector<Query>& queries,
                const AccuracyFlags& accuracy);

// Returns a heading such as "4,000 users: …". For users per window, the heading also says how long a window is.
std::string heading_of(const AccuracyFlags& accuracy, const TaskSpec& times);

// Returns the lines with the largest errors at the ε with the index `place`, at most 20 lines, and remarks.
std::string to_text(const ErrorReport& report, std::size_t place);
console::Table to_table(const ErrorReport& report);  // has every line; for CSV
Json to_json(const ErrorReport& report);

Json to_json(const Result<planner::ExpectedError>& error);

}  // namespace hearsay::cli
