// Plans how many users one task needs for a workload.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "aggregator/planner/candidates.h"
#include "aggregator/planner/worst_query.h"

namespace hearsay::planner {

// Returns true if every part of the workload has one of the types `Kinds`.
template <class... Kinds>
bool has_only(const Workload& workload) {
  const std::vector<Mixture::Part> parts = parts_of(workload);
  return std::all_of(parts.begin(), parts.end(),
                     [](const Mixture::Part& part) { return (std::holds_alternative<Kinds>(part.workload) || ...); });
}
inline bool is_ordered(const Workload& workload) { return has_only<Ranges, Prefixes, Boxes, Means>(workload); }

// The parts of a class, for each symmetry of tasks. The object computes parts when a task first needs them.
class Parts {
 public:
  // `workload` and `schema` must outlive this object.
  Parts(const Workload& workload, const Schema& schema) : workload_(workload), schema_(schema) {}

  // The workload must be Conjunctions or Functions. Errors: kLimitExceeded.
  Result<const std::vector<ClassPart>*> of(Symmetry symmetry);

 private:
  const Workload& workload_;
  const Schema& schema_;
  std::map<Symmetry, std::optional<std::vector<ClassPart>>> parts_;
};

// Plans the workload. `queries` must be the representatives() of the workload, or of Prefixes if the workload holds
// only means. Errors: those of planning a query and of worst_query(); kLimitExceeded (a class that is too large to try
// all queries, and for which no bound is known).
Result<WorkloadPlan> plan_workload(const Task& task, const Workload& workload, const std::vector<Query>& queries,
                                   Parts& parts, const Target& target, Wanted wanted);

}  // namespace hearsay::planner
