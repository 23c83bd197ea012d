// Conditions on attributes, such as `age >= 30` or `city in {x, y}`. Queries consist of conditions and connectives.
#pragma once

#include "common/query/cursor.h"
#include "hearsay/query.h"

namespace hearsay::query {

// Parses the condition at the cursor, and moves the cursor behind the condition. The cursor must stand on a name, a
// number or a minus. Errors: as Query::parse().
Result<Query> parse_condition(const Schema& schema, Cursor& cursor);

}  // namespace hearsay::query
