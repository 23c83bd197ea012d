// Lists the groups to which a plan for a workload may give weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/planner/set_weights.h"
#include "hearsay/mechanism.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Returns lists of groups for the problem's products and questions. All groups of a list get one common weight. The
// groups are:
// - on each set of attributes that a product needs: single groups if each answer has one bit, and raw groups if all
//   answers together have several bits. Sets share a list if their attributes are pairwise alike;
// - raw and even groups on unions of these sets, on sets of alike attributes with one-bit questions, and on sets of any
//   attributes with one-bit questions.
//
// The groups of the second kind have no more bits than are of use at `epsilon`. Returns nothing if there would be too
// many groups, or if the answers about a set have too many bits.
std::vector<std::vector<GroupWeight>> groups_for(const Schema& schema, const SetProblem& problem, double epsilon);

}  // namespace hearsay::planner
