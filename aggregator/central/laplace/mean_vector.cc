#include "aggregator/central/laplace/mean_vector.h"

#include <algorithm>
#include <cmath>

#include "common/base/try.h"

namespace hearsay::central {

Result<MeanVector> MeanVector::create(const Epsilon& epsilon, const RowBound& bound, Neighbours neighbours) {
  HEARSAY_CHECK_OK(check(bound));
  if (neighbours != Neighbours::kReplaceOne) {
    return Error{ErrorCode::kUnsupported, "a mean divides by the number of records, which add-remove keeps private"};
  }
  HEARSAY_TRY(const Rational sensitivity, Rational::create(2 * static_cast<std::uint64_t>(bound.norm), 1));
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, sensitivity, neighbours));
  return MeanVector(laplace, bound);
}

Result<std::vector<std::int64_t>> MeanVector::statistic(std::span<const double> values) const {
  HEARSAY_TRY(const std::vector<std::int64_t> rows, rounded_rows(bound_, values));
  const std::size_t d = bound_.dimension;
  if (rows.size() / d > static_cast<std::uint64_t>(BinaryGrid::kLargest / bound_.norm)) {
    return Error{ErrorCode::kLimitExceeded, "the sum of the rows could exceed 2^61 steps"};
  }
  std::vector<std::int64_t> sum(d);
  for (std::size_t i = 0; i < rows.size(); ++i) sum[i % d] += rows[i];
  return sum;
}

Result<std::vector<double>> MeanVector::release(std::span<const double> values, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::int64_t> sum, statistic(values));
  HEARSAY_TRY(const std::vector<std::int64_t> noisy, laplace_.release(sum, bits));
  const auto n = static_cast<double>(values.size() / bound_.dimension);
  std::vector<double> mean;
  for (const std::int64_t steps : noisy) mean.push_back(bound_.grid.value(steps) / n);
  return mean;
}

Result<double> MeanVector::error_bound(std::uint64_t rows, double beta) const {
  if (rows == 0) return Error{ErrorCode::kInvalidArgument, "there are no rows"};
  HEARSAY_TRY(const std::uint64_t bound, laplace_.error_bound(bound_.dimension, beta));
  return (static_cast<double>(bound) / static_cast<double>(rows) + 1) * bound_.grid.step();
}

Result<std::uint64_t> MeanVector::rows(double alpha, double beta) const {
  const double step = bound_.grid.step();
  if (!(alpha > step) || !std::isfinite(alpha)) {
    return Error{ErrorCode::kInvalidArgument, "alpha must be finite and above the grid's step"};
  }
  HEARSAY_TRY(const std::uint64_t bound, laplace_.error_bound(bound_.dimension, beta));
  const double needed = std::ceil(static_cast<double>(bound) * step / (alpha - step));
  if (!(needed <= 0x1p53)) return Error{ErrorCode::kOverflow, "more than 2^53 rows would be needed"};
  return static_cast<std::uint64_t>(std::max(needed, 1.0));
}

}  // namespace hearsay::central
