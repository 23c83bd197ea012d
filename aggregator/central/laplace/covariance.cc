// Symbols: n = rows, d = dimension, G = γ in steps.

#include "aggregator/central/laplace/covariance.h"

#include "common/base/int128.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr std::size_t kLargestMatrix = std::size_t{1} << 10U;

// Replace row a by b, and let s be the sum of the n-1 other rows. The replacement changes n²C by
//   (n-1)(bbᵀ - aaᵀ) - s(b-a)ᵀ - (b-a)sᵀ.
// By ‖bbᵀ‖, ‖aaᵀ‖ <= G², ‖s‖ <= (n-1)G and ‖b-a‖ <= 2G, the norm of the change is at most (n-1)(2 + 4)G². For d >= 2
// the bound is attained at a = G·e1, b = G·e2 and all other rows -G·e1. For d = 1 let s = (n-1)u. The change is
// (n-1)·|(b-a)(b+a-2u)|, at most (n-1)·4G², attained at b = -a = ±G and u = -b.
std::uint64_t sensitivity_factor(std::size_t dimension) { return dimension == 1 ? 4 : 6; }

}  // namespace

Result<Covariance> Covariance::create(const Epsilon& epsilon, const RowBound& bound, std::uint64_t rows,
                                      Neighbours neighbours) {
  HEARSAY_CHECK_OK(check(bound));
  if (neighbours != Neighbours::kReplaceOne) {
    return Error{ErrorCode::kUnsupported, "a covariance needs the number of records, which add-remove keeps private"};
  }
  if (rows < 2) return Error{ErrorCode::kInvalidArgument, "a covariance needs at least two rows"};
  if (bound.dimension > kLargestMatrix) {
    return Error{ErrorCode::kLimitExceeded, "a covariance matrix may have at most 2^10 rows"};
  }
  const auto norm = static_cast<std::uint64_t>(bound.norm);
  // n·G <= 2^30 keeps every partial sum of statistic() within (n·G)² <= 2^60.
  if (Uint128{rows} * norm > (Uint128{1} << 30U)) {
    return Error{ErrorCode::kLimitExceeded, "rows times the bound in steps must be at most 2^30; use a coarser grid"};
  }
  const Rational sensitivity = whole(sensitivity_factor(bound.dimension) * norm * norm * (rows - 1));
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, sensitivity, neighbours));
  return Covariance(laplace, bound, rows);
}

Result<std::vector<std::int64_t>> Covariance::statistic(std::span<const double> values) const {
  HEARSAY_TRY(const std::vector<std::int64_t> rows, rounded_rows(bound_, values));
  const std::size_t d = bound_.dimension;
  if (rows.size() / d != rows_)
    return Error{ErrorCode::kInvalidArgument, "the number of rows must be the number for which the mechanism was made"};
  std::vector<std::int64_t> sum(d);
  std::vector<std::int64_t> matrix(d * d);
  for (std::size_t start = 0; start < rows.size(); start += d) {
    for (std::size_t i = 0; i < d; ++i) {
      const std::int64_t k = rows[start + i];
      if (k == 0) continue;
      sum[i] += k;
      for (std::size_t j = 0; j < d; ++j) matrix[i * d + j] += k * rows[start + j];
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      std::int64_t& entry = matrix[i * d + j];
      entry = static_cast<std::int64_t>(rows_) * entry - sum[i] * sum[j];
    }
  }
  return matrix;
}

Result<std::vector<double>> Covariance::release(std::span<const double> values, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::int64_t> exact_matrix, statistic(values));
  const std::vector<std::int64_t> noisy = laplace_.release(exact_matrix, bits);
  const std::size_t d = bound_.dimension;
  const auto n = static_cast<double>(rows_);
  const double unit = bound_.grid.step() * bound_.grid.step() / (n * n);
  std::vector<double> matrix(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const auto here = static_cast<double>(noisy[i * d + j]);
      const auto mirrored = static_cast<double>(noisy[j * d + i]);
      matrix[i * d + j] = (here + mirrored) / 2 * unit;
    }
  }
  return matrix;
}

// Rounding x to x' and y to y' changes a product xy by at most |x||y-y'| + |y'||x-x'| <= 2γ·step. The bound holds for
// the mean of the products, and again for the product of the means.
Result<double> Covariance::error_bound(double beta) const {
  HEARSAY_TRY(const std::uint64_t bound, laplace_.error_bound(bound_.dimension * bound_.dimension, beta));
  const double step = bound_.grid.step();
  const auto n = static_cast<double>(rows_);
  return static_cast<double>(bound) * step * step / (n * n) + 4 * static_cast<double>(bound_.norm) * step * step;
}

}  // namespace hearsay::central
