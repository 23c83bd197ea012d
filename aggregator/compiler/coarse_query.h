// Turns queries about values into queries about the cells of a task's cuts.
#pragma once

#include <vector>

#include "aggregator/compiler/work.h"
#include "common/task/coarsening.h"
#include "hearsay/mechanism.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// Returns the query in the schema whose values are cells. Conditions on one attribute that are joined by `and`, `or` or
// `not` count as one condition, so `age >= 30 and age < 45` needs only that cells make up 30..44. The result is shown
// as `query` was written. Errors: kQueryNotCovered (a condition holds for a part of a cell, or a sum needs each value;
// the message names the attribute and its cells).
Result<Query> coarse_query(const Query& query, const Schema& schema, const Coarsening& coarsening);

// Returns cuts that tell two values apart if and only if one of the queries does. There are cuts for each integer range
// that the queries mention, unless every value is a cell of its own, all are one cell, or the range is in a sum. Throws
// WorkStopped.
std::vector<Cuts> cuts_for(const std::vector<Query>& queries, const Schema& schema, Work& work);

}  // namespace hearsay::compiler
