#include "aggregator/central/laplace/mean_vector.h"

#include <cmath>

#include "common/base/try.h"

namespace hearsay::central {

Result<MeanVector> MeanVector::create(const Epsilon& epsilon, const RowBound& bound, Neighbours neighbours) {
  HEARSAY_CHECK_OK(check(bound));
  if (neighbours != Neighbours::kReplaceOne) {
    return Error{ErrorCode::kUnsupported, "a mean divides by the number of records, which add-remove keeps private"};
  }
  const Rational sensitivity = whole(2 * static_cast<std::uint64_t>(bound.norm));
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
  const std::vector<std::int64_t> noisy = laplace_.release(sum, bits);
  const auto n = static_cast<double>(values.size() / bound_.dimension);
  std::vector<double> mean;
  for (const std::int64_t steps : noisy) mean.push_back(bound_.grid.value(steps) / n);
  return mean;
}

Result<double> MeanVector::error_bound(std::uint64_t rows, double beta) const {
  if (rows == 0) return Error{ErrorCode::kInvalidArgument, "there must be at least one row"};
  HEARSAY_TRY(const std::uint64_t bound, laplace_.error_bound(bound_.dimension, beta));
  return (static_cast<double>(bound) / static_cast<double>(rows) + 1) * bound_.grid.step();
}

Result<std::uint64_t> MeanVector::rows(double alpha, double beta) const {
  const double step = bound_.grid.step();
  if (!(alpha > step) || !std::isfinite(alpha)) {
    return Error{ErrorCode::kInvalidArgument, "alpha must be finite and above the grid's step"};
  }
  HEARSAY_TRY(const std::uint64_t bound, laplace_.error_bound(bound_.dimension, beta));
  return record_count(static_cast<double>(bound) * step / (alpha - step));
}

}  // namespace hearsay::central
