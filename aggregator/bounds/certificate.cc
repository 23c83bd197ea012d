#include "aggregator/bounds/certificate.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/base/int128.h"

namespace hearsay::bounds {
namespace {

constexpr double kMost = 0x1p52;

bool whole(double value) { return std::abs(value) < kMost && std::floor(value) == value; }

bool whole_and_not_negative(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return whole(value) && value >= 0; });
}

Error refuted() { return {ErrorCode::kInvalidArgument, "the proof of the bound does not hold"}; }

// Returns a number that is at least numerator/denominator. Both must be below 2^127.
double quotient_upwards(Uint128 numerator, Uint128 denominator) {
  // Both conversions and the two operations together lose less than 4 units in the last place.
  return static_cast<double>(numerator) / static_cast<double>(denominator) *
         (1 + 4 * std::numeric_limits<double>::epsilon());
}

Uint128 sum_of(const std::vector<double>& values) {
  Uint128 sum = 0;
  for (const double value : values) sum += static_cast<Uint128>(value);
  return sum;
}

}  // namespace

bool proved_semidefinite(const Eigen::MatrixXd& matrix) {
  const Eigen::Index size = matrix.rows();
  if (size == 0 || size > (1 << 16) || matrix.cols() != size) return false;
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      if (!whole(matrix(i, j)) || matrix(i, j) != matrix(j, i)) return false;
    }
  }
  if (matrix.diagonal().minCoeff() < 0) return false;
  // Twice the shift of the theorem also covers the rounding of the trace and of the shift. 1 more covers underflow.
  const double shift = std::ceil(2 * static_cast<double>(size + 2) * 0x1p-53 * matrix.trace()) + 1;
  Eigen::MatrixXd shifted = matrix;
  shifted.diagonal().array() -= shift;  // exact: integers
  if (shifted.diagonal().minCoeff() <= 0) return false;
  const Eigen::LLT<Eigen::MatrixXd> factorisation(shifted);
  return factorisation.info() == Eigen::Success && factorisation.matrixLLT().allFinite() &&
         factorisation.matrixLLT().diagonal().minCoeff() > 0;
}

Result<double> check(const Averages& averages, const MarginProof& proof) {
  const std::size_t rows = averages.rows();
  const std::size_t columns = averages.columns();
  if (proof.diagonal.size() != rows || proof.weights.size() != columns) return refuted();
  if (!whole_and_not_negative(proof.diagonal) || !whole_and_not_negative(proof.weights)) return refuted();
  // If `largest` is below kMost, every partial sum of the matrix products below is exact.
  double largest = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    const double most = averages.coefficients.col(static_cast<Eigen::Index>(j)).cwiseAbs().maxCoeff();
    largest += proof.weights[j] * most * most;
  }
  if (!(largest < kMost)) return refuted();
  Eigen::VectorXd weights(static_cast<Eigen::Index>(columns));
  std::copy(proof.weights.begin(), proof.weights.end(), weights.begin());
  Eigen::MatrixXd matrix = -(averages.coefficients * weights.asDiagonal() * averages.coefficients.transpose());
  for (std::size_t i = 0; i < rows; ++i) {
    matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) += proof.diagonal[i];
  }
  if (!proved_semidefinite(matrix)) return refuted();
  constexpr double kMostScale = 0x1p26;  // columns·2^52·2^52 stays below 2^127
  Uint128 denominator = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    if (averages.scales[j] > kMostScale) return refuted();
    const auto scale = static_cast<Uint128>(averages.scales[j]);
    denominator += static_cast<Uint128>(proof.weights[j]) * scale * scale;
  }
  if (denominator == 0) return refuted();
  return std::sqrt(quotient_upwards(sum_of(proof.diagonal), denominator)) *
         (1 + std::numeric_limits<double>::epsilon());
}

Result<double> check(const Averages& averages, const ErrorFreeProof& proof) {
  const auto rows = static_cast<Eigen::Index>(averages.rows());
  const auto columns = static_cast<Eigen::Index>(averages.columns());
  if (proof.rows.size() != averages.rows() || proof.columns.size() != averages.columns()) return refuted();
  if (proof.weights.size() != averages.columns() || proof.slopes.rows() != rows || proof.slopes.cols() != columns) {
    return refuted();
  }
  for (const auto* values : {&proof.rows, &proof.columns, &proof.weights}) {
    if (!whole_and_not_negative(*values)) return refuted();
  }
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows + columns, rows + columns);
  for (Eigen::Index i = 0; i < rows; ++i) matrix(i, i) = proof.rows[static_cast<std::size_t>(i)];
  for (Eigen::Index j = 0; j < columns; ++j) {
    matrix(rows + j, rows + j) = proof.columns[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < rows; ++i) {
      const double coefficient = averages.coefficients(i, j);
      const double slope = proof.slopes(i, j);
      const double weighted = std::abs(coefficient) * proof.weights[static_cast<std::size_t>(j)];
      if (!whole(slope) || slope < 0 || !(weighted < kMost / 2)) return refuted();
      const double entry = std::copysign(weighted + slope, coefficient);
      matrix(i, rows + j) = matrix(rows + j, i) = -entry;
    }
  }
  const Uint128 weight = sum_of(proof.weights);
  if (weight == 0 || !proved_semidefinite(matrix)) return refuted();
  return quotient_upwards(sum_of(proof.rows) + sum_of(proof.columns), 2 * weight * averages.records);
}

}  // namespace hearsay::bounds
