// Classes of queries by name, to study.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/central/synthetic/query_class.h"

namespace hearsay::central {

// Over N elements: `points` [x = t], `thresholds` [x >= t], `intervals`, `subsets` (all 2^N), and `distances`
// |x - t|/(N-1), the one that is no predicate. Over N bits, 2^N elements: `conjunctions` of literals (the empty one
// included), `parities` of one bit or more.
std::vector<std::string> class_names();

// Errors: kNotFound for an unknown name; kInvalidArgument for a size of 0 (1 for `distances`); kDomainTooLarge above
// QueryClass::kMostWeights weights.
Result<QueryClass> named_class(const std::string& name, std::uint32_t size);

// A class from text: a query a line, its weights separated by commas, in [0, 1], multiples of 1/unit.
// Errors: kInvalidArgument; those of QueryClass::linear().
Result<QueryClass> parse_class(const std::string& text, std::uint64_t unit);

}  // namespace hearsay::central
