// Finds a strategy with `shifts` for a workload.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/planner/strategy_optimiser.h"
#include "aggregator/planner/strategy_workload.h"

namespace hearsay::planner {

// Descends from `start`, a strategy with `shifts` whose weights need not add up to 1. Adds the sets of one record and
// of all records but one. Minimises the largest variance of a query over the worst population, with linear scores.
// `values` has the number of values of each attribute, and `workload` one query of each orbit (up_to_shifts()). Equal
// arguments give equal results. Returns the best strategy that the search met, with at most
// options.most_outputs/records sets. options.objective must be kWorstQuery. Cost: see shift_work().
StrategySets optimise_shift_strategy(const ExplicitWorkload& workload, const std::vector<std::uint32_t>& values,
                                     const StrategySets& start, const StrategyOptions& options);

// Returns about how many multiplications a search takes if it keeps `sets` sets and goes on to the last round. The
// search may end earlier.
double shift_work(const ExplicitWorkload& workload, std::size_t sets, int rounds);

}  // namespace hearsay::planner
