// Chooses questions and groups of attributes together, for the worst population.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Returns the best specifications found, for `characters` of order_of(workload). The search tries:
// - the questions of `known` specifications; for each attribute also answers of 1 bit, 2 bits, … (arcs of a circle for
//   integer ranges of up to 128 values), or its whole value;
// - the groups of groups_for(), for each choice of questions;
// - weights by best_set_weights().
// Returns nothing if some query of the workload is no product of conditions on one attribute each, or if the workload
// is too large. For a class, the search takes the products of class_products.h. The first result is best for people
// drawn anew. The second is best for the error against the mean of the people who report. The two differ at large ε.
// Cost: up to a second or two.
std::vector<SampledSpec> sets_and_questions(const TaskSpec& base, const Workload& workload,
                                            const std::vector<SampledSpec>& known);

}  // namespace hearsay::planner
