// Short spellings of values that the tests know to be valid.
#pragma once

#include "aggregator/central/laplace/binary_grid.h"
#include "common/base/rational.h"
#include "hearsay/epsilon.h"

namespace hearsay::central::tests {

inline Epsilon eps(const char* text) { return Epsilon::parse(text).value(); }
inline Rational ratio(std::uint64_t num, std::uint64_t den = 1) { return Rational::create(num, den).value(); }
inline BinaryGrid grid(int log2_step) { return BinaryGrid::create(log2_step).value(); }

}  // namespace hearsay::central::tests
