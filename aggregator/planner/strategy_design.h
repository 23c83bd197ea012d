// The channel `strategy` as a mechanism for a workload.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "aggregator/planner/candidates.h"
#include "aggregator/planner/strategy_optimiser.h"

namespace hearsay::planner {

// The outputs of a task of `sampled` on `characters`, as sets: of each question and answer, the records whose true
// answer it is. At most as many as fit; those of the largest weight. None for other channels.
StrategySets outputs_of(const Task& task, std::size_t most);

// What a `strategy` task needs for the workload: exactly, query by query, from the task's own integers.
Result<WorkloadPlan> plan_strategy(const Task& task, const ExplicitWorkload& workload, const Target& target);

// How many different records the schema has. Errors: kLimitExceeded (more than a strategy is made for, 256).
Result<std::size_t> strategy_records(const Schema& schema);

// Makes a strategy for the workload's worst query. It starts from the outputs of each of `others`, candidates() for the
// same workload; of all strategies met, the outputs of the others among them, the one of fewest users is returned.
// `progress`: takes a line for people now and then. Errors: those of explicit_workload(); kLimitExceeded (more than 256
// records, for which there is no room for outputs enough). Cost: seconds for 64 records, minutes for 256.
Result<Candidate> strategy_candidate(const TaskSpec& base, const Workload& workload, const Target& target,
                                     std::span<const Candidate> others,
                                     const std::function<void(const std::string&)>& progress);

// About how long strategy_candidate() takes for so many records.
double strategy_seconds(std::size_t records);

}  // namespace hearsay::planner
