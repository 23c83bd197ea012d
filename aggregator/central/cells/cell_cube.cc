#include "aggregator/central/cells/cell_cube.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/try.h"

namespace hearsay::central {

Result<std::uint64_t> count_cells(std::span<const std::uint32_t> shape) {
  if (shape.empty() || shape.size() > kMostDimensions) {
    return Error{ErrorCode::kInvalidArgument, "a cube must have 1 to 24 dimensions"};
  }
  if (std::ranges::find(shape, 0U) != shape.end()) {
    return Error{ErrorCode::kInvalidArgument, "a dimension of a cube must have at least one value"};
  }
  std::uint64_t cells = 1;
  for (const std::uint32_t size : shape) {
    cells *= size;  // below 2^24·2^32
    if (cells > kMostCells) return Error{ErrorCode::kDomainTooLarge, "a cube must have at most 2^24 cells"};
  }
  return cells;
}

Result<CellCube> CellCube::create(std::vector<std::uint32_t> shape, AmountRange amounts) {
  HEARSAY_TRY(const std::uint64_t cells, count_cells(shape));
  if (amounts.low > amounts.high || (amounts.low == 0 && amounts.high == 0) || amounts.low < -kLargestAmount ||
      amounts.high > kLargestAmount) {
    return Error{ErrorCode::kInvalidArgument, "the range of amounts must lie within ±2^32 and hold more than just 0"};
  }
  return CellCube(std::move(shape), amounts, cells);
}

Result<void> CellCube::add(std::span<const std::uint32_t> cell, std::int64_t amount) {
  if (cell.size() != shape_.size())
    return Error{ErrorCode::kInvalidArgument, "a cell must have one value for each dimension"};
  std::size_t index = 0;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] >= shape_[i]) return {};  // counted nowhere
    index = index * shape_[i] + cell[i];
  }
  const std::int64_t sum = cells_[index] + std::clamp(amount, amounts_.low, amounts_.high);  // within ±(2^61 + 2^32)
  cells_[index] = std::clamp(sum, -kLargestCell, kLargestCell);
  return {};
}

ReleasedCube::ReleasedCube(std::vector<std::uint32_t> shape, std::vector<std::int64_t> cells)
    : shape_(std::move(shape)), cells_(std::move(cells)), sums_(cells_.begin(), cells_.end()) {
  std::size_t stride = 1;
  for (std::size_t i = shape_.size(); i > 0; --i) {
    const std::size_t block = stride * shape_[i - 1];
    for (std::size_t start = 0; start < sums_.size(); start += block) {
      for (std::size_t at = start + stride; at < start + block; ++at) sums_[at] += sums_[at - stride];
    }
    stride = block;
  }
}

Result<ReleasedCube> ReleasedCube::create(std::vector<std::uint32_t> shape, std::vector<std::int64_t> cells) {
  HEARSAY_TRY(const std::uint64_t count, count_cells(shape));
  if (cells.size() != count) return Error{ErrorCode::kInvalidArgument, "there must be one integer for each cell"};
  return ReleasedCube(std::move(shape), std::move(cells));
}

// Uses inclusion and exclusion over the corners of the box. If corner bit i is set, low_i - 1 replaces high_i and the
// sign changes.
Result<std::int64_t> ReleasedCube::box(std::span<const CellRange> ranges) const {
  if (ranges.size() != shape_.size())
    return Error{ErrorCode::kInvalidArgument, "a box must have one range for each dimension"};
  std::vector<std::pair<std::size_t, Int128>> corners{{0, 1}};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto [low, high] = ranges[i];
    if (low > high || high >= shape_[i]) {
      return Error{ErrorCode::kInvalidArgument, "a range of the box is empty or not in the cube"};
    }
    const std::size_t known = corners.size();
    for (std::size_t j = 0; j < known; ++j) {
      const auto [index, sign] = corners[j];
      if (low > 0) corners.emplace_back(index * shape_[i] + (low - 1), -sign);
      corners[j].first = index * shape_[i] + high;
    }
  }
  Int128 sum = 0;
  for (const auto& [index, sign] : corners) sum += sign * sums_[index];
  if (sum < std::numeric_limits<std::int64_t>::min() || sum > std::numeric_limits<std::int64_t>::max()) {
    return Error{ErrorCode::kOverflow, "the sum over the box leaves 64 bits"};
  }
  return static_cast<std::int64_t>(sum);
}

ReleasedCube ReleasedCube::nonnegative() const {
  std::vector<std::int64_t> cells = cells_;
  for (std::int64_t& cell : cells) cell = std::max<std::int64_t>(cell, 0);
  return ReleasedCube(shape_, std::move(cells));
}

}  // namespace hearsay::central
