// Lists groups of attributes that are worth a weight for a workload.
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
// - on each set of attributes that a product needs: single groups, and raw groups if all answers together have several
//   bits. Sets whose attributes are alike in pairs share a list;
// - raw and even groups on three kinds of sets: unions of these sets, sets of attributes that are asked one bit and are
//   alike, and sets of any attributes that are asked one bit. A group has at most as many bits as are of use at
//   `epsilon`.
// Returns nothing if there would be too many groups, or if a set needs too long answers.
std::vector<std::vector<GroupWeight>> groups_for(const Schema& schema, const SetProblem& problem, double epsilon);

}  // namespace hearsay::planner
