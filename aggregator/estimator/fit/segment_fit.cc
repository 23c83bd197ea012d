#include "aggregator/estimator/fit/segment_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace hearsay::estimator {
namespace {

// A pivot of the correlation matrix below kLeastPivot is a rounding error.
constexpr double kLeastPivot = 1e-9;

Eigen::MatrixXd correlation(const Eigen::MatrixXd& covariance, Eigen::VectorXd& unit) {
  unit = covariance.diagonal().unaryExpr([](double v) { return v > 0 ? 1 / std::sqrt(v) : 0; });
  return unit.asDiagonal() * covariance * unit.asDiagonal();
}

}  // namespace

void SegmentFit::add(const Eigen::VectorXd& x, const Eigen::VectorXd& delta, const Eigen::MatrixXd& covariance) {
  if (x.size() == 0) return;
  Eigen::VectorXd unit;
  const Eigen::LDLT<Eigen::MatrixXd> factors(correlation(covariance, unit));
  // The factorisation is P·V·Pᵀ = L·D·Lᵀ with a permutation P, and the entries of D descend. The leading parts of L and
  // D give the covariance of the leading part of P·x.
  Eigen::MatrixXd whitened(x.size(), 2);
  whitened.col(0) = unit.asDiagonal() * x;
  whitened.col(1) = unit.asDiagonal() * delta;
  whitened = factors.transpositionsP() * whitened;
  factors.matrixL().solveInPlace(whitened);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double pivot = factors.vectorD()[i];
    if (!(pivot > kLeastPivot)) continue;
    const double residual = whitened(i, 0);
    const double slope = whitened(i, 1);
    squared_ += residual * residual / pivot;
    cross_ += slope * residual / pivot;
    slope_ += slope * slope / pivot;
    ++rank_;
  }
}

double SegmentFit::statistic() const { return std::max(0.0, squared_ - (tells() ? cross_ * cross_ / slope_ : 0)); }

std::vector<Eigen::Index> independent_coordinates(const Eigen::MatrixXd& covariance) {
  std::vector<Eigen::Index> result;
  if (covariance.rows() == 0) return result;
  Eigen::VectorXd unit;
  const Eigen::LDLT<Eigen::MatrixXd> factors(correlation(covariance, unit));
  Eigen::VectorXi order =
      Eigen::VectorXi::LinSpaced(static_cast<int>(covariance.rows()), 0, static_cast<int>(covariance.rows()) - 1);
  order = factors.transpositionsP() * order;
  for (Eigen::Index i = 0; i < covariance.rows(); ++i) {
    if (factors.vectorD()[i] > kLeastPivot) result.push_back(order[i]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace hearsay::estimator
