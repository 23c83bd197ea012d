// Recognises queries that are products of conditions on one attribute each.
#pragma once

#include <optional>

#include "aggregator/planner/workload.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Returns the query or its negation as a product of indicators; both have the same variance. A box, `a or b`, and any
// condition on one attribute are products. Returns nothing if neither the query nor its negation, as written, is a
// product. For example, returns nothing for `a or (b and c)`. Leaves out attributes that do not matter, so a constant
// query has no parts.
std::optional<ProductFunction> product_of(const Query& query, const Schema& schema);

}  // namespace hearsay::planner
