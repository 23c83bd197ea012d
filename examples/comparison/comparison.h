// Lets the same crowds report repeatedly through every mechanism, and measures the errors of the answers.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

// The errors of one query's estimates over all runs.
struct QueryScore {
  bool answered;        // false if the mechanism refuses the query or a run had too few reports; then all numbers are 0
  double bias;          // mean error
  double mean_square;   // mean squared error, against the fraction among the run's reporters
  double bias_squared;  // estimate of the squared expected error, without the simulation's noise: bias² - variance/runs
  double predicted;     // prediction of mean_square from the source and the number of users; NaN: no prediction
};

// The errors of one mechanism.
struct Score {
  std::vector<QueryScore> queries;  // one element for each query
  std::size_t answered = 0;         // number of answered queries
  // The next numbers are over the answered queries, and 0 if no query is answered.
  double bias = 0;         // root of the mean of bias_squared; 0 if the mean is negative
  double rmse = 0;         // root of the mean squared error
  double worst_error = 0;  // the largest |error| of a run's queries, averaged over the runs
  // Users times the mean squared error, divided by the one-query limit c²/4: the users that the mechanism needs,
  // divided by the users of randomized response to one query alone.
  double limits_mean = 0;   // mean over the queries
  double limits_worst = 0;  // largest over the queries; partly chance
  // Predictions of limits_mean and limits_worst. NaN: no prediction.
  double predicted_mean = 0;
  double predicted_worst = 0;
};

struct Plan {
  std::size_t users;  // reporters of each run
  std::size_t runs;   // at least 2
};

// Returns true if the errors show a bias: without bias, the mean errors would be so large with a probability of at most
// 0.001. The test is Student's t test; the errors of the queries may depend on each other.
bool shows_bias(const Score& score, std::size_t runs);

// Scores each mechanism. In each run, compare() draws a crowd from `source` with replacement, and the crowd reports
// through every mechanism. Errors: kInvalidArgument if the plan is too small, and errors of channels and estimators.
// Cost: users·runs reports for each mechanism.
Result<std::vector<Score>> compare(const Setting& setting, const Population& source,
                                   const std::vector<Mechanism>& mechanisms, const Plan& plan,
                                   const Randomness& randomness);

}  // namespace hearsay::examples
