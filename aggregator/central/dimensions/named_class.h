// Classes of queries by name, for experiments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/central/synthetic/query_class.h"

namespace hearsay::central {

// Returns the names. `points` [x = t], `thresholds` [x >= t], `intervals`, `subsets` (all 2^N) and `distances` |x -
// t|/(N-1) are over N elements. `conjunctions` of literals (the empty conjunction included) and `parities` of one bit
// or more are over N bits, that is, 2^N elements. `distances` is the only class whose queries are not predicates.
std::vector<std::string> class_names();

// Here N is `size`. Errors: kNotFound (an unknown name), kInvalidArgument (size 0, or 1 for `distances`),
// kDomainTooLarge (a size above 5,000, above 20 for `subsets`, or above 13 for `conjunctions` and `parities`; or more
// than QueryClass::kMostWeights weights).
Result<QueryClass> named_class(const std::string& name, std::uint32_t size);

// Reads a class from text: one query in each line. Commas separate the query's weights. A weight in [0, 1] is rounded
// to a multiple of 1/unit. Errors: kInvalidArgument; those of QueryClass::linear().
Result<QueryClass> parse_class(const std::string& text, std::uint64_t unit);

}  // namespace hearsay::central
