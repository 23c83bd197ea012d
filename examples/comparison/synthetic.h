// Makes tables of made-up people.
#pragma once

#include <cstdint>

#include "examples/population/population.h"

namespace hearsay::examples {

enum class SyntheticKind : std::uint8_t {
  kSkewed,   // some values are rare and some common, and a hidden trait of each person correlates the attributes
  kUniform,  // all values are equally likely and independent: the paper's (f,ω,n)-random database for every query f
};

// Makes `rows` people with the boolean attributes a0, a1, …. The same seed makes the same people. Errors:
// kInvalidSchema (`attributes` not between 1 and 4096).
Result<Population> synthetic_population(std::size_t attributes, std::size_t rows, SyntheticKind kind,
                                        std::uint64_t seed);

// Makes people with ordered attributes of `values` values each. If kSkewed, small values are more common, and values
// depend on a hidden trait of the person. Errors: kInvalidSchema (`attributes` as above, or `values` below 2).
Result<Population> synthetic_ordered_population(std::size_t attributes, std::uint32_t values, std::size_t rows,
                                                SyntheticKind kind, std::uint64_t seed);

}  // namespace hearsay::examples
