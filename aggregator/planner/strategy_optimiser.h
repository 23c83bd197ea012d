// Finds probabilities of the channel `strategy` for a workload.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

#include "aggregator/planner/strategy_workload.h"

namespace hearsay::planner {

// Outputs whose probabilities take two values each. Record x gives output k with probability weights[k]·e^ε if x is in
// sets[k], and weights[k] otherwise. This loses nothing: every other law is a mixture of such laws, and has no less
// variance.
struct StrategySets {
  std::vector<std::vector<bool>> sets;
  std::vector<double> weights;
};

enum class StrategyObjective {
  kTotal,       // the sum of the queries' variances
  kWorstQuery,  // the largest of them
};

struct StrategyOptions {
  double epsilon;
  StrategyObjective objective = StrategyObjective::kWorstQuery;
  std::size_t most_outputs;  // at least 2·records
  int rounds = 40;
  std::stop_token stop = {};
  // Called after each round with its number, from 0, and its strategy. The strategy of round 0 may have more than
  // most_outputs sets.
  std::function<void(int, const StrategySets&)> progress = {};
};

// Descends from `start`, whose weights need not add up to 1; singletons and their complements are added. Variances are
// those of StrategyDecoder for uniformly distributed records. Deterministic. Ends early if nothing is gained any more
// or a stop is requested; the result is a strategy at any time. Cost: 15 steps a round, of some 10·outputs·records²
// multiplications each.
StrategySets optimise_strategy(const ExplicitWorkload& workload, const StrategySets& start,
                               const StrategyOptions& options);

}  // namespace hearsay::planner
