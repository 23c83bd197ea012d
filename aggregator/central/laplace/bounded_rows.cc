#include "aggregator/central/laplace/bounded_rows.h"

#include <cstdlib>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr std::int64_t kLargestNorm = std::int64_t{1} << 31U;
constexpr std::size_t kMostCoordinates = std::size_t{1} << 16U;

}  // namespace

Result<void> check(const RowBound& bound) {
  if (bound.dimension == 0 || bound.dimension > kMostCoordinates) {
    return Error{ErrorCode::kInvalidArgument, "rows must have 1 to 2^16 dimensions"};
  }
  if (bound.norm < 1 || bound.norm > kLargestNorm) {
    return Error{ErrorCode::kInvalidArgument, "the bound on the rows must be 1 to 2^31 steps"};
  }
  return {};
}

Result<std::vector<std::int64_t>> rounded_rows(const RowBound& bound, std::span<const double> values) {
  if (values.empty()) return Error{ErrorCode::kInvalidArgument, "there are no rows"};
  if (values.size() % bound.dimension != 0) {
    return Error{ErrorCode::kInvalidArgument, "the values do not make up whole rows"};
  }
  std::vector<std::int64_t> rows;
  rows.reserve(values.size());
  std::int64_t norm = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % bound.dimension == 0) norm = 0;
    HEARSAY_TRY(const std::int64_t steps, bound.grid.towards_zero(values[i]));
    norm += std::abs(steps);  // at most 2^31 + 2^61
    if (norm > bound.norm) return Error{ErrorCode::kInvalidArgument, "a row exceeds the bound on the rows"};
    rows.push_back(steps);
  }
  return rows;
}

}  // namespace hearsay::central
