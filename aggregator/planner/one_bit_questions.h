// Proposes one-bit questions that are worth ranking for a workload. The proposals do not depend on ε.
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
  std::string name;  // for people, such as "half-circles for ranges"
  std::uint32_t order;
  Result<SampledSpec> spec;  // for `characters` of the order `order`
};

// Returns proposals that ask about integer ranges by other questions than parities. Once a proposal holds an error, the
// function tries no further families of questions. Cost: one plan_questions() for each family that it tries.
std::vector<OneBitProposal> one_bit_questions(const Schema& schema, const Workload& workload);

}  // namespace hearsay::planner
