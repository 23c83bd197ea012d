// Gives queries that differ only in writing one and the same form.
#pragma once

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// Returns a query with the same answer on every record. Two queries give the same result if they differ only in
//   - the order of the operands of `and`, `or` and at_least, and of the terms of a sum,
//   - operands of `and` and `or` that are repeated, or are themselves an `and` in an `and`, an `or` in an `or`,
//   - `not` before a `not` or before a condition on one attribute,
//   - at_least(1, …) for `or`, at_least of all operands for `and`.
// Cost: sorting the printed operands of each node.
Query canonical(const Query& query, const Schema& schema);

}  // namespace hearsay::compiler
