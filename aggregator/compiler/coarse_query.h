// Turns queries about values into queries about cells. If a task cuts an attribute's values into cells, the task's
// reports tell only the cell.
#pragma once

#include <vector>

#include "aggregator/compiler/work.h"
#include "common/task/coarsening.h"
#include "hearsay/mechanism.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// Returns the query over the schema whose values are cells. The function joins conditions on one attribute into one
// condition if they are operands of the same `and` or `or`. So `age >= 30 and age < 45` needs only that some cells
// together hold 30..44. The function joins no conditions inside at_least() and inside decision lists. as_written() of
// the result returns the text of `query`. Errors: kQueryNotCovered (a condition holds for a part of a cell only, or the
// query sums an attribute that is cut; the message names the attribute and up to eight of its cells).
Result<Query> coarse_query(const Query& query, const Schema& schema, const Coarsening& coarsening);

// Returns cuts with which all queries can be answered. First joins conditions as coarse_query() does. Then two values
// share a cell if and only if each condition on the attribute holds for both or for neither. Cuts only integer ranges
// that the queries mention. Does not cut a range if every value would be a cell of its own, if one cell would hold all
// values, if the range is in a sum, or if the cuts would need more than Cuts::kMaxStarts starts. Throws WorkStopped.
std::vector<Cuts> cuts_for(const std::vector<Query>& queries, const Schema& schema, Work& work);

}  // namespace hearsay::compiler
