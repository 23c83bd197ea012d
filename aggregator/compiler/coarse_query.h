// Queries about cells of values in place of values.
#pragma once

#include <vector>

#include "aggregator/compiler/work.h"
#include "common/task/coarsening.h"
#include "hearsay/mechanism.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// The query in the schema with cells as values. Conditions on one attribute that `and`, `or` or `not` join count as
// one, so `age >= 30 and age < 45` needs the cells of 30..44 alone. The result is shown as `query` is. Errors:
// kQueryNotCovered (a condition holds for a part of a cell, or a sum needs each value; the message names the attribute
// and its cells).
Result<Query> coarse_query(const Query& query, const Schema& schema, const Coarsening& coarsening);

// The cuts that leave the values apart that some of the queries tells apart, and no others: for each integer range that
// the queries mention, has fewer cells than values then, and is in no sum. Throws WorkStopped.
std::vector<Cuts> cuts_for(const std::vector<Query>& queries, const Schema& schema, Work& work);

}  // namespace hearsay::compiler
