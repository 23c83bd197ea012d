// Makes a task with the channel `strategy` for a workload.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "aggregator/planner/candidates.h"
#include "aggregator/planner/strategy_optimiser.h"

namespace hearsay::planner {

// Returns how many different records the schema has. Errors: kLimitExceeded (more than StrategyChannel::kMaxRecords).
Result<std::size_t> strategy_records(const Schema& schema);

// Makes a strategy for the workload's worst query. `others` are candidates() for the same workload; the search starts
// from the outputs of those candidates that have outputs (strategy_outputs.h). If the workload is closed under shifts
// (shift_orbits.h), or if the schema has more than 256 different records, the strategy has shifts. Returns the strategy
// of the least limit_ratio, among the optimiser's result and the candidates' own outputs. But a strategy with shifts
// for a workload that is not closed is always the optimiser's result. `progress` takes a line for people now and then.
// If `stopped` returns true, the search ends soon, with the best strategy so far. Errors: kInvalidArgument (target),
// kLimitExceeded (the search found no strategy), and those of explicit_workload() and strategy_records(). Cost: see
// strategy_seconds().
Result<Candidate> strategy_candidate(const TaskSpec& base, const Workload& workload, const Target& target,
                                     std::span<const Candidate> others,
                                     const std::function<void(const std::string&)>& progress,
                                     const std::function<bool()>& stopped = {});

// Returns about how many seconds strategy_candidate() takes on an idle core. The search counts its multiplications, and
// ends after twice the number on which this estimate rests. Errors: those of explicit_workload() and
// strategy_records(); kLimitExceeded (more than an hour).
Result<double> strategy_seconds(const Schema& schema, const Workload& workload, std::span<const Candidate> others);

}  // namespace hearsay::planner
