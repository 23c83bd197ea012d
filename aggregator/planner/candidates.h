// Which mechanism to use for a workload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/planner/plan.h"
#include "aggregator/planner/workload.h"
#include "hearsay/task.h"

namespace hearsay::planner {

class KnownPlans;

// What a mechanism needs for a workload.
struct WorkloadPlan {
  compiler::Guarantee guarantee;  // average-case if any query's is
  std::uint64_t users_worst;      // the most that any query needs, over the worst population
  bool at_most;                   // users_worst and limit_ratio are upper bounds
  bool near_normal;               // whether the normal quantile, on which they rest, holds at users_worst
  std::uint64_t users_average;    // for the mean over representatives() of the average variance; for the worst mean
  double limit_ratio;             // of the worst query
  double influence;               // n times the most that one report can move any query's estimate
  std::string worst_query;        // in words where users_worst is a bound for many
  std::size_t report_bytes;
};

// A mechanism and what it needs, or why it cannot answer the workload.
struct Candidate {
  std::string name;  // "characters, planned groups"
  Result<Task> task;
  Result<WorkloadPlan> plan;
};

enum class Wanted : std::uint8_t {
  kAll,
  // Only the first of the list counts. Candidates that are sure to be worse can be left out, and users_average of
  // ranges, boxes, prefixes and means is users_worst.
  kBest
};

// Plans the workload with every arrangement, channel, kind of groups and choice of weights, the best (fewest
// users_worst, worst-case guarantee before average-case) first and those that cannot answer it last. `base` gives the
// schema, ε, name and times; its arrangement, channel and cuts are ignored. The order of `characters` is
// order_of(workload). Integer ranges are also asked half-circles, thresholds, arcs or sets of levels, where the
// workload has a use for them. Tasks on `characters` for a list of queries have cuts (hearsay/mechanism.h) that leave
// apart what the queries tell apart, unless tasks without cuts take fewer users; if more than 128 values are cut, these
// are not tried. Parities are left out for lists and conjunctions whose queries have more than 2^13 bit patterns
// together, if they are sure to take more users than other questions (parity_bound.h). In a mixture the variances of a
// part count by its weight. A class that one can neither try nor bound for a mechanism is that candidate's
// kLimitExceeded. Errors: those of representatives(), kInvalidArgument (target). Cost: milliseconds to seconds; minutes
// for functions of more than 14 attributes or attributes of a million values.
Result<std::vector<Candidate>> candidates(const TaskSpec& base, const Workload& workload, const Target& target,
                                          Wanted wanted = Wanted::kAll);
// The same, with plans that earlier calls have found.
Result<std::vector<Candidate>> candidates(const TaskSpec& base, const Workload& workload, const Target& target,
                                          Wanted wanted, KnownPlans& known);

// One line for people: "single 1: 34 %, raw 2: 51 %, …; attribute sets equally likely".
std::string describe(const SampledSpec& spec);

}  // namespace hearsay::planner
