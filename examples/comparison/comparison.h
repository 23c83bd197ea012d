// Repeated reports of the same crowds through every mechanism, and how far the answers are off.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

// How the estimates of one query did over the runs.
struct QueryScore {
  bool answered;        // false, and zeros below, if the mechanism refuses it or some run had too few reports for it
  double bias;          // mean error
  double mean_square;   // mean of the squared error, the error being against the fraction among the run's reporters
  double bias_squared;  // of the expected error, without the simulation's own noise: bias² - variance/runs
  double predicted;     // mean_square before the runs: for the source and the number of users; NaN without a prediction
};

struct Score {
  std::vector<QueryScore> queries;  // per query
  std::size_t answered = 0;
  // Over the queries answered. All 0 if there is none.
  double bias = 0;         // root of the mean of bias_squared, 0 if that is negative
  double rmse = 0;         // root of the mean squared error
  double worst_error = 0;  // the largest |error| of a run, on average over the runs
  // n times the mean squared error over the one-query limit: users needed relative to those of the limit.
  double limits_mean = 0;
  double limits_worst = 0;  // of the query with the largest mean squared error, chance included
  // The same two of what was predicted for the same queries and the same source. NaN without a prediction.
  double predicted_mean = 0;
  double predicted_worst = 0;
};

struct Plan {
  std::size_t users;
  std::size_t runs;  // at least 2
};

// Whether the errors show a bias: without one, the runs' mean errors were so large with probability 0.001 at most
// (Student's t, for queries whose errors may depend on each other).
bool shows_bias(const Score& score, std::size_t runs);

// In every run the same crowd, drawn from `source` with replacement, reports through every mechanism. Errors: those of
// the mechanisms' channels and estimators. Cost: users·runs reports a mechanism.
Result<std::vector<Score>> compare(const Setting& setting, const Population& source,
                                   const std::vector<Mechanism>& mechanisms, const Plan& plan,
                                   const Randomness& randomness);

}  // namespace hearsay::examples
