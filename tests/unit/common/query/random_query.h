// Makes random queries as text, and evaluates them without code of the parser and the evaluator.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>

#include "hearsay/schema.h"

namespace hearsay::test {

// Returns a schema of two booleans, a categorical attribute with awkward values, and two ranges. One range has
// negative integers.
Schema mixed_schema();

// Returns mixed_schema() with names that read like parts of a query.
Schema odd_schema();

using Values = std::span<const std::uint32_t>;

struct RandomQuery {
  std::string text;
  std::function<bool(Values)> holds;
};

// Returns a query with about `size` conditions. The spelling is random: superfluous parentheses, synonyms, odd white
// space.
RandomQuery random_query(const Schema& schema, std::mt19937& random, int size);

void for_every_record(const Schema& schema, const std::function<void(Values)>& visit);

}  // namespace hearsay::test
