// Data cubes: a dense array of integers, one for each cell, before and after release.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/calibration.h"
#include "common/base/int128.h"
#include "hearsay/result.h"

namespace hearsay::central {

// The public range of the amount that one row may add to its cell. {1, 1} counts rows.
struct AmountRange {
  std::int64_t low = 1;
  std::int64_t high = 1;
  bool operator==(const AmountRange&) const = default;
};

inline constexpr std::uint64_t kMostCells = std::uint64_t{1} << 24U;
inline constexpr std::size_t kMostDimensions = 24;
inline constexpr std::int64_t kLargestAmount = std::int64_t{1} << 32U;
inline constexpr std::int64_t kLargestCell = kLargestStatistic;

// The cube before release, which only the curator may see. Cells lie in row-major order, the last dimension fastest.
class CellCube {
 public:
  // `shape`: 1 to 24 dimensions of at least 1 value, at most 2^24 cells. `amounts`: low <= high, not both 0, at most
  // 2^32 in magnitude. Errors: kInvalidArgument, kDomainTooLarge.
  static Result<CellCube> create(std::vector<std::uint32_t> shape, AmountRange amounts = {});

  // Adds a row. Refuses no row for its content. An amount outside the range counts as the nearer end. A row whose cell
  // does not exist is counted nowhere. A cell that would leave ±2^61 stays at that end. In each of these cases the row
  // moves a cell by no more than the sensitivity allows.
  //
  // Errors: kInvalidArgument (`cell` does not have one value for each dimension; its length is public).
  Result<void> add(std::span<const std::uint32_t> cell, std::int64_t amount = 1);

  const std::vector<std::uint32_t>& shape() const { return shape_; }
  AmountRange amounts() const { return amounts_; }
  std::span<const std::int64_t> cells() const { return cells_; }

 private:
  CellCube(std::vector<std::uint32_t> shape, AmountRange amounts, std::size_t cells)
      : shape_(std::move(shape)), amounts_(amounts), cells_(cells) {}
  std::vector<std::uint32_t> shape_;
  AmountRange amounts_;
  std::vector<std::int64_t> cells_;
};

// The values of one dimension from `low` to `high`, both included.
struct CellRange {
  std::uint32_t low;
  std::uint32_t high;
};

// A released cube. The cube is public, so results computed from the cube cost no privacy. Immutable, thread-safe.
class ReleasedCube {
 public:
  // `cells` are in row-major order. Errors: as CellCube::create; kInvalidArgument (the shape has another number of
  // cells). Cost: one addition for each cell and dimension, and 24 bytes for each cell.
  static Result<ReleasedCube> create(std::vector<std::uint32_t> shape, std::vector<std::int64_t> cells);

  // Returns the sum over a box, given by one range for each dimension. Errors: kInvalidArgument (a range is empty or
  // not in the cube), kOverflow (the sum leaves 64 bits). Cost: at most 2^dimensions additions.
  Result<std::int64_t> box(std::span<const CellRange> ranges) const;

  // Returns the cube with negative cells set to 0 (the paper's step "if c > 0"). The result is a database again, but a
  // biased one: on average, clipping adds q/(1-q²) to an empty cell, where t is the scale of the noise and q =
  // e^{-1/t}. For large t this is near t/2.
  ReleasedCube nonnegative() const;

  const std::vector<std::uint32_t>& shape() const { return shape_; }
  std::span<const std::int64_t> cells() const { return cells_; }

 private:
  ReleasedCube(std::vector<std::uint32_t> shape, std::vector<std::int64_t> cells);
  std::vector<std::uint32_t> shape_;
  std::vector<std::int64_t> cells_;
  // For each cell, the sum over all cells whose coordinates are at most those of this cell.
  std::vector<Int128> sums_;
};

// Returns the number of cells of a shape. Errors: as CellCube::create.
Result<std::uint64_t> count_cells(std::span<const std::uint32_t> shape);

}  // namespace hearsay::central
