// Classes of queries by name, to study.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/central/synthetic/query_class.h"

namespace hearsay::central {

// Returns the names. Over N elements: `points` [x = t], `thresholds` [x >= t], `intervals`, `subsets` (all 2^N), and
// `distances` |x - t|/(N-1), the only class that is not of predicates. Over N bits, 2^N elements: `conjunctions` of
// literals (including the empty one), and `parities` of one bit or more.
std::vector<std::string> class_names();

// Errors: kNotFound (an unknown name), kInvalidArgument (size 0, or 1 for `distances`), kDomainTooLarge (more than
// QueryClass::kMostWeights weights).
Result<QueryClass> named_class(const std::string& name, std::uint32_t size);

// Reads a class from text: one query in each line, its weights separated by commas, in [0, 1], multiples of 1/unit.
// Errors: kInvalidArgument; those of QueryClass::linear().
Result<QueryClass> parse_class(const std::string& text, std::uint64_t unit);

}  // namespace hearsay::central
