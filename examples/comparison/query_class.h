// Lists all queries of a class, for simulations.
#pragma once

#include <cstdint>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::examples {

constexpr std::size_t kMaxClassQueries = 4096;

// Lists the conjunctions of `least` to `most` literals of different attributes. A literal is a boolean, a categorical
// value, a range's [value >= t], or the negation of one of these. Errors: kInvalidArgument unless 1 <= least <= most <=
// number of attributes; kLimitExceeded (more than kMaxClassQueries).
Result<std::vector<Query>> conjunctions(const Schema& schema, std::uint32_t least, std::uint32_t most);

// Lists functions of 1 to `most` attributes that depend on each of these attributes. For a set of attributes with at
// most 4 combinations of values, such as two booleans, the list holds all functions. A function and its negation have
// the same errors, so the list holds only one of these two functions. For a larger set the list holds up to four
// functions: the parity of the value indices, and three random functions, which are the same for the same seed. Errors:
// those of conjunctions(), and kLimitExceeded if a set has more than 64 combinations of values.
Result<std::vector<Query>> functions(const Schema& schema, std::uint32_t most, std::uint64_t seed);

}  // namespace hearsay::examples
