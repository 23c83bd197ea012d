#include "aggregator/central/laplace/bounded_rows.h"

#include <cstdlib>

#include "common/base/int128.h"

namespace hearsay::central {
namespace {

constexpr std::int64_t kLargestNorm = std::int64_t{1} << 31U;
constexpr std::size_t kMostCoordinates = std::size_t{1} << 16U;

// A row has at most 2^16 coordinates of up to 2^61, and the norm is at most 2^31, so all products fit into 128 bits.
// Division rounds towards 0.
void scale_down(std::span<std::int64_t> row, std::int64_t largest_norm) {
  Int128 norm = 0;
  for (const std::int64_t coordinate : row) norm += std::abs(coordinate);
  if (norm <= largest_norm) return;
  for (std::int64_t& coordinate : row) coordinate = static_cast<std::int64_t>(Int128{coordinate} * largest_norm / norm);
}

}  // namespace

Result<void> check(const RowBound& bound) {
  if (bound.dimension == 0 || bound.dimension > kMostCoordinates) {
    return Error{ErrorCode::kInvalidArgument, "rows must have 1 to 2^16 dimensions"};
  }
  if (bound.norm < 1 || bound.norm > kLargestNorm) {
    return Error{ErrorCode::kInvalidArgument, "the bound on the rows must be from 1 to 2^31 steps"};
  }
  return {};
}

Result<std::vector<std::int64_t>> rounded_rows(const RowBound& bound, std::span<const double> values) {
  if (values.empty()) return Error{ErrorCode::kInvalidArgument, "there must be at least one row"};
  if (values.size() % bound.dimension != 0) {
    return Error{ErrorCode::kInvalidArgument, "the number of values must be a multiple of the dimension"};
  }
  std::vector<std::int64_t> rows;
  rows.reserve(values.size());
  for (const double value : values) rows.push_back(bound.grid.towards_zero(value));
  for (std::size_t start = 0; start < rows.size(); start += bound.dimension) {
    scale_down(std::span(rows).subspan(start, bound.dimension), bound.norm);
  }
  return rows;
}

}  // namespace hearsay::central
