// The number of rows that Theorem 5.2 of Xiao, Xiong, Yuan 2010 needs.
#pragma once

#include <algorithm>
#include <cmath>

#include "aggregator/central/cells/cell_accuracy.h"

namespace hearsay::central {

// Returns the least number of rows for all unions of cells: with probability at least 1 - delta, all their counts are
// within the fraction `error` of the truth. The number is ⌈cells·m/error⌉ with m = every_cell_error, at most
// cells·(s/ε)·ln(2·cells/delta)/error + 1. The formula is Theorem 5.2 for the discrete law. s is 2 for kReplaceOne,
// where the paper has 1.
inline std::uint64_t rows_for_every_union(const DiscreteLaplace& noise, std::uint64_t cells, double error,
                                          double delta) {
  const auto bound = static_cast<double>(every_cell_error(noise, cells, delta).value());
  return static_cast<std::uint64_t>(std::max(std::ceil(static_cast<double>(cells) * bound / error), 1.0));
}

}  // namespace hearsay::central
