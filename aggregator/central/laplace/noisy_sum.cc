#include "aggregator/central/laplace/noisy_sum.h"

#include <algorithm>
#include <cstdlib>

#include "common/base/int128.h"
#include "common/base/try.h"

namespace hearsay::central {

Result<NoisySum> NoisySum::create(const Epsilon& epsilon, std::int64_t lower, std::int64_t upper,
                                  const BinaryGrid& grid, Neighbours neighbours) {
  if (lower >= upper) return Error{ErrorCode::kInvalidArgument, "the lower bound must be below the upper one"};
  if (lower < -BinaryGrid::kLargest || upper > BinaryGrid::kLargest) {
    return Error{ErrorCode::kLimitExceeded, "a bound exceeds 2^61 steps"};
  }
  const std::int64_t most = std::max(std::abs(lower), std::abs(upper));
  const std::int64_t change = neighbours == Neighbours::kReplaceOne ? upper - lower : most;
  const Rational sensitivity = whole(static_cast<std::uint64_t>(change));
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, sensitivity, neighbours));
  return NoisySum(laplace, lower, upper, grid);
}

// Clamps only the whole sum, so that the order of the values does not matter.
std::int64_t NoisySum::statistic(std::span<const double> values) const {
  Int128 sum = 0;
  for (const double value : values) sum += std::clamp(grid_.nearest(value), lower_, upper_);
  return static_cast<std::int64_t>(std::clamp<Int128>(sum, -BinaryGrid::kLargest, BinaryGrid::kLargest));
}

double NoisySum::release(std::span<const double> values, BitSource& bits) const {
  return grid_.value(laplace_.release(statistic(values), bits));
}

Result<double> NoisySum::error_bound(std::uint64_t records, double beta) const {
  HEARSAY_TRY(const std::uint64_t bound, laplace_.error_bound(1, beta));
  return (static_cast<double>(bound) + static_cast<double>(records) / 2) * grid_.step();
}

}  // namespace hearsay::central
