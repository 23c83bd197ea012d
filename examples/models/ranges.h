// Recognises queries that are boxes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "hearsay/query.h"

namespace hearsay::examples {

// A box: a set of values for each mentioned attribute. Other attributes may have any value. A set may be empty.
using Product = std::map<std::uint32_t, ValueSet>;

// Returns the query as a box if it is a condition on a single attribute, or a conjunction of such conditions.
std::optional<Product> as_product(const Schema& schema, const Query& query);

}  // namespace hearsay::examples
