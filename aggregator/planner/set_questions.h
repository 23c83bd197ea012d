// Tasks whose questions and groups of attributes are chosen together, for the worst population.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// The best specifications found, for `characters` of order_of(workload), of those with
// - the questions of `known` specifications, and for each attribute answers of 1 bit, 2 bits, …, as arcs of a circle
// for
//   integer ranges of up to 128 values, or its whole value;
// - single, raw and even groups of all sets of attributes that help (set_groups.h), of any of these questions;
// - weights by best_set_weights().
// Of workloads whose queries are products of conditions on one attribute each, and of classes by class_products.h. The
// first is best for people drawn anew, the second against the mean of those who report; the two differ at large ε.
// Empty for other workloads, and where the workload is too large. Cost: up to a second or two.
std::vector<SampledSpec> sets_and_questions(const TaskSpec& base, const Workload& workload,
                                            const std::vector<SampledSpec>& known);

}  // namespace hearsay::planner
