// Simulates the setting of the paper's Theorem 7: for each query f, (f,ω,n)-random databases, with n from the theorem.
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

// Makes a schema of booleans a, b, c, … (at most 26).
Result<Schema> boolean_schema(unsigned attributes);

// The result of a test.
struct Verdict {
  bool refuted;      // true if the errors contradict the promise
  std::string text;  // a sentence for people
};
// Tests the promise that each error is at most alpha with probability at least 1 - beta. `misses` of `databases`
// independent databases had a larger error. A true promise is called refuted with probability at most 0.001. Errors:
// kInvalidArgument (no database).
Result<Verdict> verdict_on(std::size_t misses, std::size_t databases, const planner::Target& target);

// For every query and a few fractions ω: draws a database, lets its people report to the aggregator, and prints the
// true ω, the estimate and its error. Then prints whether the errors contradict Theorem 7. Returns 1 if they do,
// else 0.
Result<int> report_random_databases(const RandomDatabaseFlags& flags, const std::vector<std::string>& queries);

}  // namespace hearsay::examples
