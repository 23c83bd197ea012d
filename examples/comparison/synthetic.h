// Made-up tables.
#pragma once

#include <cstdint>

#include "examples/population/population.h"

namespace hearsay::examples {

enum class SyntheticKind : std::uint8_t {
  kSkewed,   // from rare to common, correlated through a hidden trait of each person, as in a census
  kUniform,  // independent fair coins: an (f,ω,n)-random population of the paper for every query f
};

// `rows` people with the boolean attributes a0, a1, …; the same for the same seed. Errors: kInvalidSchema (`attributes`
// not between 1 and 4096).
Result<Population> synthetic_population(std::size_t attributes, std::size_t rows, SyntheticKind kind,
                                        std::uint64_t seed);

// Does the same with ordered attributes of `values` values each. The values either follow a hidden trait of each person
// and lean to small values, or are uniform. Errors: kInvalidSchema (also `values` below 2).
Result<Population> synthetic_ordered_population(std::size_t attributes, std::uint32_t values, std::size_t rows,
                                                SyntheticKind kind, std::uint64_t seed);

}  // namespace hearsay::examples
