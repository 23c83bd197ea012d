// Tasks whose reports ask one question of one bit about each attribute of a set, planned for a workload.
#pragma once

#include <vector>

#include "aggregator/planner/question_costs.h"
#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

struct QuestionPlan {
  SampledSpec spec;  // for `characters` of order_of(workload)
  // The largest variance over the workload for answers that are always true, with the weights of a mixture; over γ² it
  // is that of answers which are true with probability γ. Where ranges have many lengths, these are of a few of them.
  double worst;
  double lower_bound;  // no weights of these questions have less: see QuestionWeights
};

// `families`: of the questions about each attribute of the schema; a report answers the product of its answers. The
// weights of the sets of attributes and of the questions minimise the largest variance, which does not depend on the
// record.
//
// Alike are attributes of the same kind and size, which must have the same family, unless the workload holds a list of
// queries: then every attribute has weights of its own.
//
// Errors: those of representatives(); kInvalidArgument (no query depends on an attribute), kLimitExceeded (functions of
// attributes; a query of a list that is no product of conditions on one attribute each, or a product of more than 8;
// too many sets of attributes). Cost: up to a second or two.
Result<QuestionPlan> plan_questions(const Schema& schema, const Workload& workload,
                                    const std::vector<QuestionFamily>& families);

// This family for all integer ranges that it can ask about, and parities for all other attributes.
std::vector<QuestionFamily> for_ranges(QuestionFamily family, const Schema& schema);

// For each integer range that a query of a list of the workload, or a mean of it, depends on, the family that is best
// for these conditions and means alone; parities for all other attributes.
std::vector<QuestionFamily> fitting_families(const Workload& workload, const Schema& schema);

}  // namespace hearsay::planner
