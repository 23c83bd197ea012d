// Which groups of attributes are worth a weight for a workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/planner/set_weights.h"
#include "hearsay/mechanism.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Lists of groups for the problem's products and questions:
// - on each set of attributes that a product needs: single groups, and raw groups where answers have several bits in
//   all. Sets whose attributes are alike in pairs share a list;
// - raw and even groups on unions of these sets, and on any of the attributes that are asked one bit and are alike, and
//   on any of all that are asked one bit, as far as so many bits are of use at `epsilon`.
// Empty where that would be too many groups, or a set needs answers that are too long.
std::vector<std::vector<GroupWeight>> groups_for(const Schema& schema, const SetProblem& problem, double epsilon);

}  // namespace hearsay::planner
