// Proposes one-bit questions that are worth ranking for a workload. They do not depend on ε.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

struct OneBitProposal {
  std::string name;  // for people: "half-circles for ranges"
  std::uint32_t order;
  Result<SampledSpec> spec;  // for `characters` of this order
};

// Returns proposals in which integer ranges are asked by other questions than parities. If the first proposal has an
// error, all others would have it, too, and the first is returned alone. Cost: plan_questions() for each family.
std::vector<OneBitProposal> one_bit_questions(const Schema& schema, const Workload& workload);

}  // namespace hearsay::planner
