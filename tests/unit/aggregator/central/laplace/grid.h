// Makes a valid grid.
#pragma once

#include "aggregator/central/laplace/binary_grid.h"

namespace hearsay::central {

inline BinaryGrid grid(int log2_step) { return BinaryGrid::create(log2_step).value(); }

}  // namespace hearsay::central
