// The paper's setting, played out: for each query an (f,ω,n)-random database of the size that Theorem 7 asks for.
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

// For every query and a few fractions ω: draws the database, has it report to the aggregator, and prints the true ω,
// the estimate, its error and the bound α. Returns 0 if every error is within α, else 1.
Result<int> report_random_databases(RandomDatabaseFlags& flags, const std::vector<std::string>& queries);

}  // namespace hearsay::examples
