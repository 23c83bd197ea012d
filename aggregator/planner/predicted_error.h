// Predicts the error of an estimate in a known population, for simulations.
#pragma once

#include <span>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "hearsay/query.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// The distinct records of a population, and the fraction of people with each record.
struct Census {
  std::vector<Record> records;
  std::vector<double> parts;
};
Census census_of(std::span<const Record> people);

// The error of the estimate from n people drawn from a population, against the fraction among these n people. The mean
// squared error is variance/n + bias², to first order in 1/n.
struct PredictedError {
  double variance;
  double bias;  // 0 for worst-case queries
};

// Returns the error of the query's estimate. The query must be compiled for the task. The cost grows with the number of
// distinct records, and on `literals` also with the number of groups.
PredictedError predicted_error(const Task& task, const Query& query, const compiler::LinearQuery& linear,
                               const Census& people);

}  // namespace hearsay::planner
