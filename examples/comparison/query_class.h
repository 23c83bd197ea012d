// All queries of a class, for simulations that ask every one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::examples {

constexpr std::size_t kMaxClassQueries = 4096;

// The conjunctions of `least` to `most` literals of different attributes. A literal is a boolean or its negation, a
// categorical value or its negation, a range's [value >= t] or its negation. Errors: kInvalidArgument unless
// 1 <= least <= most <= number of attributes; kLimitExceeded (more than kMaxClassQueries).
Result<std::vector<Query>> conjunctions(const Schema& schema, std::uint32_t least, std::uint32_t most);

// Functions of 1 to `most` attributes that depend on each of these attributes. A query and its negation have the same
// errors, so only one of the two is listed. Of one or two booleans, all functions are listed. Of other sets of
// attributes four functions are listed: the parity of the value indices, and three random functions, which are the same
// for the same seed. Errors: those of conjunctions(), and kLimitExceeded if a function has more than 64 cells.
Result<std::vector<Query>> functions(const Schema& schema, std::uint32_t most, std::uint64_t seed);

}  // namespace hearsay::examples
