// Brings a query into a canonical form, so that different writings of one query are compiled in the same way.
#pragma once

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// Returns a query with the same answer on every record. Two queries give the same result if they differ only in
//   - the order of the operands of `and`, `or` and at_least, and of the terms of a sum,
//   - repeated operands of `and` and `or`,
//   - brackets around an `and` inside an `and`, or around an `or` inside an `or`,
//   - two `not` in a row, or a `not` before a condition on one attribute (the condition takes the opposite set),
//   - at_least(1, …) in place of `or`, or at_least of all operands in place of `and`.
// Cost: prints and sorts the operands of each node.
Query canonical(const Query& query, const Schema& schema);

}  // namespace hearsay::compiler
