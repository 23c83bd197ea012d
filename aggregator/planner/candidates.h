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

// How well one mechanism serves a workload.
struct WorkloadPlan {
  compiler::Guarantee guarantee;  // average-case if any query has this guarantee
  // The users that the worst query needs, over the worst population.
  std::uint64_t users_worst;
  bool at_most;  // users_worst and limit_ratio are upper bounds
  // True if the estimate from users_worst users is near enough to normal (near_normal() in plan.h).
  bool near_normal;
  // Users for ReportVariance::average, averaged over representatives(). For means, the number is that of the worst
  // mean.
  std::uint64_t users_average;
  double limit_ratio;       // of the worst query
  double influence;         // the number of reports times the most that one report can move an estimate
  std::string worst_query;  // or a description of many queries, if users_worst is a bound for them
  std::size_t report_bytes;
};

// A mechanism, and either its plan for the workload or the reason why it cannot answer the workload.
struct Candidate {
  std::string name;  // "characters, planned groups"
  Result<Task> task;
  Result<WorkloadPlan> plan;
};

enum class Wanted : std::uint8_t {
  kAll,
  // Finds the best candidate only. Leaves out candidates that are sure not to be the best. For ranges, boxes, prefixes,
  // and mixtures of ranges, boxes, prefixes and means, users_average equals users_worst.
  kBest
};

// Plans the workload with several arrangements, channels, kinds of groups and choices of weights. Candidates with a
// worst-case guarantee come first, then average-case candidates. Within each guarantee, candidates with fewer
// users_worst come first. Mechanisms that cannot answer the workload come last. `base` gives the schema, ε, name and
// times. Its arrangement, channel and cuts are ignored. The order of `characters` is order_of(workload).
//
// Some tasks ask about integer ranges by half-circles, thresholds, arcs or sets of levels, if the workload can use
// these questions. For a list of queries, tasks on `characters` get cuts (hearsay/mechanism.h). Cuts join values that
// the queries do not tell apart. If the cut attributes have at most 128 values together, candidates() also tries tasks
// without cuts, and returns the better list of the two. If the queries of a list, or of conjunctions, have more than
// 2^13 bit patterns together, candidates() leaves out parities if parities are sure to take more users than other
// questions (parity_bound.h). In a mixture, candidates() multiplies the variances of each part by the part's weight.
//
// Errors: those of representatives(), kInvalidArgument (target). A candidate has the error kLimitExceeded if the
// workload's class is too large to try all queries, and no bound for the class is known. Cost: milliseconds to seconds;
// minutes for functions of more than 14 attributes or attributes of a million values.
Result<std::vector<Candidate>> candidates(const TaskSpec& base, const Workload& workload, const Target& target,
                                          Wanted wanted = Wanted::kAll);
// Ranks in the same way, but keeps plans in `known` and uses the plans of earlier calls.
Result<std::vector<Candidate>> candidates(const TaskSpec& base, const Workload& workload, const Target& target,
                                          Wanted wanted, KnownPlans& known);

// Describes the groups of the channel in one line for people: "single 1: 34 %, raw 2: 51 %, …; sets of attributes
// equally likely".
std::string describe(const SampledSpec& spec);

}  // namespace hearsay::planner
