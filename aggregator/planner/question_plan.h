// Plans tasks whose reports ask one question of one bit about each attribute of a set of attributes.
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
  // The largest variance over the workload, if answers are always true. In a mixture, the parts' weights multiply the
  // variances. If answers are true with probability γ, divide by γ². If ranges have many lengths, only some of the
  // lengths count.
  double worst;
  double lower_bound;  // a bound for all weights of these questions: see QuestionWeights
};

// Plans the weights of the sets of attributes and of the questions. The weights nearly minimise the largest variance of
// the workload's queries. For questions of one bit, the second moment of a report's contribution does not depend on the
// record. `families` has the family of each attribute of the schema. A report holds the product of the answers about
// all attributes of one set.
//
// Attributes of the same kind and size must have the same family, and get the same weights. But if the workload holds a
// list of queries, every attribute has weights of its own.
//
// Errors: those of representatives(); kInvalidArgument (no query depends on an attribute); kLimitExceeded (functions of
// attributes; a listed query that is no product of conditions on one attribute each, or a product of more than 8
// conditions; too many sets of attributes). Cost: up to a second or two.
Result<QuestionPlan> plan_questions(const Schema& schema, const Workload& workload,
                                    const std::vector<QuestionFamily>& families);

// Returns `family` for each integer range that the family can ask about, and parities for all other attributes.
std::vector<QuestionFamily> for_ranges(QuestionFamily family, const Schema& schema);

// Returns a family for each attribute. An integer range in a listed query or in a mean gets the family that is best for
// the conditions and means on this attribute alone. All other attributes get parities.
std::vector<QuestionFamily> fitting_families(const Workload& workload, const Schema& schema);

}  // namespace hearsay::planner
