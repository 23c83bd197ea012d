// Every choice of one-bit questions worth ranking for a workload, whatever ε is.
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

// Integer ranges asked otherwise than for parities. What the first of these cannot plan, none can, and then it comes
// alone. Cost: that of plan_questions() for each family.
std::vector<OneBitProposal> one_bit_questions(const Schema& schema, const Workload& workload);

}  // namespace hearsay::planner
