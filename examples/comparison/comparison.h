// Lets the same crowds report repeatedly through every mechanism, and measures the errors of the answers.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

// The errors of one query's estimates over the runs.
struct QueryScore {
  bool answered;        // false (then all numbers are 0) if the mechanism refuses the query or a run had too few
                        // reports
  double bias;          // mean error
  double mean_square;   // mean squared error, against the fraction among the run's reporters
  double bias_squared;  // estimate of the squared expected error, without the simulation's noise: bias² - variance/runs
  double predicted;     // mean_square as predicted from the source and the number of users; NaN: no prediction
};

struct Score {
  std::vector<QueryScore> queries;  // per query
  std::size_t answered = 0;
  // Over the queries answered. All 0 if there is none.
  double bias = 0;         // root of the mean of bias_squared, 0 if that is negative
  double rmse = 0;         // root of the mean squared error
  double worst_error = 0;  // the largest |error| of a run, on average over the runs
  // n times the mean squared error, divided by the one-query limit: the users needed, divided by the users at the
  // limit.
  double limits_mean = 0;
  double limits_worst = 0;  // of the query with the largest mean squared error, chance included
  // The same two numbers as predicted for the same queries and source. NaN: no prediction.
  double predicted_mean = 0;
  double predicted_worst = 0;
};

struct Plan {
  std::size_t users;
  std::size_t runs;  // at least 2
};

// Returns true if the errors show a bias: without bias, the mean errors would be so large with probability 0.001 at
// most (Student's t; the queries' errors may depend on each other).
bool shows_bias(const Score& score, std::size_t runs);

// In each run a crowd is drawn from `source` with replacement, and reports through every mechanism. Errors: those of
// the mechanisms' channels and estimators. Cost: users·runs reports a mechanism.
Result<std::vector<Score>> compare(const Setting& setting, const Population& source,
                                   const std::vector<Mechanism>& mechanisms, const Plan& plan,
                                   const Randomness& randomness);

}  // namespace hearsay::examples
