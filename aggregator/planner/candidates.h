// Ranks mechanisms by the users they need for a workload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/planner/plan.h"
#include "aggregator/planner/workload.h"
#include "hearsay/task.h"

namespace hearsay::planner {

class KnownPlans;

// What one mechanism needs for a workload.
struct WorkloadPlan {
  compiler::Guarantee guarantee;  // average-case if the guarantee of any query is
  // The users that the worst query needs, over the worst population.
  std::uint64_t users_worst;
  bool at_most;  // users_worst and limit_ratio are upper bounds
  // True if the normal quantile, on which users_worst rests, holds at users_worst.
  bool near_normal;
  // Users for an evenly mixed population, averaged over representatives(). For means: users for the worst mean.
  std::uint64_t users_average;
  double limit_ratio;       // of the worst query
  double influence;         // n times the most that one report can move any query's estimate
  std::string worst_query;  // a description of many queries, if users_worst is a bound for all of them
  std::size_t report_bytes;
};

// A mechanism, and what it needs or why it cannot answer the workload.
struct Candidate {
  std::string name;  // "characters, planned groups"
  Result<Task> task;
  Result<WorkloadPlan> plan;
};

enum class Wanted : std::uint8_t {
  kAll,
  // Finds the best candidate only. Leaves out candidates that are sure to be worse. For ranges, boxes, prefixes and
  // mixtures of these and means, users_average is users_worst.
  kBest
};

// Plans the workload with every arrangement, channel, kind of groups and choice of weights. Candidates with a
// worst-case guarantee come first, then average-case ones; within each guarantee, fewer users_worst come first.
// Mechanisms that cannot answer the workload come last. `base` gives the schema, ε, name and times. Its arrangement,
// channel and cuts are ignored. The order of `characters` is order_of(workload).
//
// If the workload can use them, integer ranges are also asked by half-circles, thresholds, arcs or sets of levels. For
// a list of queries, tasks on `characters` get cuts (hearsay/mechanism.h), which join values that the queries do not
// tell apart. Tasks without cuts are tried, too, unless more than 128 values are cut; the better task is taken. For
// lists and conjunctions whose queries have more than 2^13 bit patterns together, parities may be left out. They are
// left out if they are sure to take more users than other questions (parity_bound.h). In a mixture, the variances of
// each part are multiplied by its weight.
//
// Errors: those of representatives(), kInvalidArgument (target). A candidate has the error kLimitExceeded if its class
// is too large to try all queries and has no bound. Cost: milliseconds to seconds; minutes for functions of more than
// 14 attributes or attributes of a million values.
Result<std::vector<Candidate>> candidates(const TaskSpec& base, const Workload& workload, const Target& target,
                                          Wanted wanted = Wanted::kAll);
// Does the same, and uses plans that earlier calls have found.
Result<std::vector<Candidate>> candidates(const TaskSpec& base, const Workload& workload, const Target& target,
                                          Wanted wanted, KnownPlans& known);

// Returns one line for people: "single 1: 34 %, raw 2: 51 %, …; attribute sets equally likely".
std::string describe(const SampledSpec& spec);

}  // namespace hearsay::planner
