// Plays the paper's setting: for each query an (f,ω,n)-random database of the size that Theorem 7 asks for.
#pragma once

#include <string>
#include <vector>

#include "aggregator/planner/plan.h"
#include "examples/simulation/flags.h"
#include "hearsay/schema.h"

namespace hearsay::examples {

struct RandomDatabaseFlags {
  DriverFlags driver;
  unsigned attributes = 4;
  planner::Target target{0.1, 0.05};
  LaplaceCalibration calibration = LaplaceCalibration::kPaper;

  void add_to(CLI::App& app);
};

// Booleans a, b, c, … (at most 26).
Result<Schema> boolean_schema(unsigned attributes);

// Tests the promise that each error is at most alpha with probability 1 - beta, on the errors of independent databases.
struct Verdict {
  bool refuted;  // a true promise is called refuted with probability at most 0.001
  std::string text;
};
// Errors: kInvalidArgument (no database).
Result<Verdict> verdict_on(std::size_t misses, std::size_t databases, const planner::Target& target);

// For every query and a few fractions ω: draws the database, has it report to the aggregator, and prints the true ω,
// the estimate and its error. Then prints whether the errors contradict Theorem 7. Returns 1 if they do, else 0.
Result<int> report_random_databases(const RandomDatabaseFlags& flags, const std::vector<std::string>& queries);

}  // namespace hearsay::examples
