// Rounds rows of numbers with a bounded L1 norm to a grid, so that the bound still holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/laplace/binary_grid.h"

namespace hearsay::central {

// The public bounds of the function v: D -> R^d that maps a record to a row. ‖v(x)‖₁ <= γ = norm·step of the grid.
struct RowBound {
  std::size_t dimension;  // d, 1 to 2^16
  std::int64_t norm;      // γ in steps, 1 to 2^31
  BinaryGrid grid;
};

// Errors: kInvalidArgument unless dimension and norm are in their ranges.
Result<void> check(const RowBound& bound);

// Returns n rows of d numbers, in steps, row after row, each number rounded towards 0 to the grid. A row within the
// bound changes by less than one step in each coordinate, and stays within the bound. Refuses no row: NaN counts as 0,
// an infinity as ±2^61 steps. A row whose rounded norm exceeds γ is scaled down to γ and rounded towards 0 again. Each
// row is treated by itself, so neighbours stay neighbours. Errors: kInvalidArgument (no rows, or d does not divide the
// number of values; n and d are public).
Result<std::vector<std::int64_t>> rounded_rows(const RowBound& bound, std::span<const double> values);

}  // namespace hearsay::central
