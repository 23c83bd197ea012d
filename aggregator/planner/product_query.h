// Queries that are products of conditions on one attribute each.
#pragma once

#include <optional>

#include "aggregator/planner/workload.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// The query or its negation, whose estimates have the same variance, as a product of indicators. Nothing where neither
// is one as written: `a or (b and c)`. A box, `a or b`, and any condition on one attribute are. Attributes that do not
// matter are left out, so that a constant query has no parts.
std::optional<ProductFunction> product_of(const Query& query, const Schema& schema);

}  // namespace hearsay::planner
