// Rewrites a query for another schema.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Says which attributes of a schema remain in a new schema, and at which place.
struct Rewriting {
  // place[i] is the place of the old schema's attribute i in the new schema, or nothing if the attribute is left out.
  std::vector<std::optional<std::uint32_t>> place;
  // An attribute of the old schema, if any, whose values 2v and 2v+1 become the value v.
  std::optional<std::uint32_t> coarser = std::nullopt;
};

// Returns the query for the new schema. A set of values becomes the set of the new values that contain any of these
// values. Returns nothing if the query mentions an attribute that is left out, or has the attribute `coarser` in a
// weighted sum.
std::optional<Query> rewritten(const Query& query, const Rewriting& rewriting);

// Returns the attribute with half as many values, rounded up. `attribute` must have at least 3 values.
Attribute coarsened(const Attribute& attribute);

}  // namespace hearsay::planner
