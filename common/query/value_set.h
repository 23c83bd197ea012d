// Sets of value indices of one attribute.
#pragma once

#include <cstdint>

#include "hearsay/query.h"

namespace hearsay::query {

// Returns the union of inclusive intervals, given in any order, as a ValueSet.
ValueSet make_value_set(ValueSet intervals);

// Returns the indices below `size` that are not in the set.
ValueSet complement(const ValueSet& values, std::uint32_t size);

bool contains(const ValueSet& values, std::uint32_t index);

// Returns the number of indices.
std::uint64_t count(const ValueSet& values);

}  // namespace hearsay::query
