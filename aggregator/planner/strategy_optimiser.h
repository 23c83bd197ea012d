// Finds probabilities of the channel `strategy` for a workload.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <limits>
#include <stop_token>
#include <vector>

#include "aggregator/planner/strategy_workload.h"

namespace hearsay::planner {

using RecordSet = std::vector<bool>;  // for each record, true if the record is in the set

// A strategy in which each output has two probabilities. Record x gives output k with probability weights[k]·e^ε if x
// is in sets[k], and weights[k] otherwise. No other strategies are needed: every other law is a mixture of laws of this
// kind, and has no less variance.
struct StrategySets {
  std::vector<RecordSet> sets;
  std::vector<double> weights;
  // If true, each set stands for several outputs: one for each shift of the set (see shift_orbits.h). There is one
  // shift for each record. The set's weight is the weight of each of these outputs.
  bool shifts = false;
};

enum class StrategyObjective {
  kTotal,       // the sum of the queries' variances
  kWorstQuery,  // the largest of the queries' variances
};

// How far a search has come.
struct StrategyProgress {
  int step;  // from 1
  int most_steps;
  std::size_t outputs;
  double work;  // multiplications so far
};

struct StrategyOptions {
  double epsilon;
  StrategyObjective objective = StrategyObjective::kWorstQuery;
  std::size_t most_outputs;  // at least 2·records
  int rounds = 40;           // at least 1
  // The number of multiplications after which only one more round follows.
  double most_work = std::numeric_limits<double>::infinity();
  // After a request to stop, only one more round follows, too.
  std::stop_token stop = {};
  // The search calls this function after each step, or after each round if the strategy has shifts.
  std::function<void(const StrategyProgress&)> progress = {};
};

// Descends from `start`, whose weights need not add up to 1. Adds the sets of one record and of all records but one.
// Variances are those of StrategyDecoder for uniformly distributed records. Equal arguments give equal results. Returns
// the best strategy that the search met, or an empty strategy if the numbers are beyond floating point. Ends after at
// most options.rounds rounds of 15 steps, and earlier if the rounds gain nothing more. Cost: see strategy_work().
StrategySets optimise_strategy(const ExplicitWorkload& workload, const StrategySets& start,
                               const StrategyOptions& options);

// Returns about how many multiplications a search takes that starts from `start_outputs` outputs and runs for all
// `rounds`. A search that ends earlier takes fewer.
double strategy_work(const ExplicitWorkload& workload, std::size_t start_outputs, int rounds);

}  // namespace hearsay::planner
