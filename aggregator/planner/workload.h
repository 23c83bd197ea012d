// What a task is to answer, before anybody reports.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// All conjunctions of at most `literals` literals of different attributes: a boolean or its negation, a categorical
// value or its negation, a range's [value >= t] or its negation.
struct Conjunctions {
  std::uint32_t literals;  // at least 1
};

// Any function of at most `attributes` attributes.
struct Functions {
  std::uint32_t attributes;  // at least 1
};

using Workload = std::variant<std::vector<Query>, Conjunctions, Functions>;

// The most attributes that one of its queries mentions: the order of `characters` that is enough for all.
std::uint32_t order_of(const Workload& workload);

// "conjunctions of at most 2 literals", "3 queries".
std::string describe(const Workload& workload);

// The queries that weights are planned for: the list itself; of a class, one for every way to choose attributes that
// differ in kind or size and literals that differ in more than names, thresholds being the extreme and the middle ones.
// For functions these are the exclusive ors of one balanced condition on each attribute, which no query on the same
// attributes exceeds in average variance when their numbers of values are powers of two. Over the worst population
// other queries may need more: see worst_query.h. Errors: kInvalidArgument (an empty list, 0 literals or attributes,
// more than the schema has), kLimitExceeded (more than 4096 queries).
Result<std::vector<Query>> representatives(const Workload& workload, const Schema& schema);

}  // namespace hearsay::planner
