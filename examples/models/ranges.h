// Queries that are boxes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "hearsay/query.h"

namespace hearsay::examples {

// A product of value sets, one per attribute mentioned; the others are free. A set may be empty.
using Product = std::map<std::uint32_t, ValueSet>;

// The query as one, if it is a conjunction of conditions on single attributes (or one such condition).
std::optional<Product> as_product(const Schema& schema, const Query& query);

}  // namespace hearsay::examples
