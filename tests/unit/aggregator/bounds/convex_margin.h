// Computes the largest margin of a class without the code of aggregator/bounds. The lower end comes from gradient
// ascent on vectors of full rank. The upper end comes from an eigenvalue.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <random>

#include "aggregator/bounds/sign_matrix.h"

namespace hearsay::tests {

struct MarginEnclosure {
  double low;
  double high;
};

// Returns the matrix c. The average margin of query f is Σ_x c_xf·<u_x, v_f>, with the vectors u_x of the records and
// v_f of the queries.
inline Eigen::MatrixXd average_coefficients(const bounds::SignMatrix& matrix, bool over_classes) {
  const auto rows = static_cast<Eigen::Index>(matrix.rows());
  std::vector<Eigen::VectorXd> columns;
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    const std::size_t yes = matrix.satisfying(f);
    const std::size_t no = matrix.rows() - yes;
    if (over_classes && (yes == 0 || no == 0)) continue;
    Eigen::VectorXd column(rows);
    for (std::size_t x = 0; x < matrix.rows(); ++x) {
      const double share =
          over_classes ? 2.0 * static_cast<double>(matrix(x, f) == 1 ? yes : no) : static_cast<double>(matrix.rows());
      column[static_cast<Eigen::Index>(x)] = matrix(x, f) / share;
    }
    columns.push_back(column);
  }
  Eigen::MatrixXd result(rows, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t f = 0; f < columns.size(); ++f) result.col(static_cast<Eigen::Index>(f)) = columns[f];
  return result;
}

// Moves each u_x towards its column of `wanted`, by the share `rate` of the way.
inline void move_towards(Eigen::MatrixXd& u, const Eigen::MatrixXd& wanted, double rate) {
  for (Eigen::Index x = 0; x < u.cols(); ++x) {
    const double length = wanted.col(x).norm();
    if (length > 0) u.col(x) = ((1 - rate) * u.col(x) + rate / length * wanted.col(x)).normalized();
  }
}

// Returns an upper bound on the margin for query weights q. If diag(d) - C·diag(q)·Cᵀ is positive semidefinite, no
// arrangement's margin exceeds √(Σ d_x). A fixed point iteration finds d, and a shift by the least eigenvalue makes d
// valid.
inline double bound_for_weights(const Eigen::MatrixXd& c, const Eigen::VectorXd& q, Eigen::MatrixXd u) {
  const Eigen::MatrixXd weighted = c * q.asDiagonal() * c.transpose();
  for (int step = 0; step < 200; ++step) move_towards(u, u * weighted, 1);
  const Eigen::VectorXd lengths = (u * weighted).colwise().norm().transpose();
  const Eigen::MatrixXd rest = Eigen::MatrixXd(lengths.asDiagonal()) - weighted;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(rest, Eigen::EigenvaluesOnly);
  return std::sqrt(lengths.sum() + static_cast<double>(c.rows()) * std::max(0.0, -solver.eigenvalues().minCoeff()));
}

// Maximises min_f ‖Σ_x c_xf·u_x‖ over unit vectors u_x. The ascent uses a smooth minimum that becomes sharper.
inline MarginEnclosure convex_margin(const Eigen::MatrixXd& c, std::mt19937_64& generator) {
  const Eigen::Index rows = c.rows();
  Eigen::MatrixXd u(rows, rows);
  for (double& entry : u.reshaped()) entry = static_cast<double>(generator() >> 11U) * 0x1p-52 - 1;
  for (Eigen::Index x = 0; x < rows; ++x) u.col(x).normalize();
  MarginEnclosure best{0, 1};
  for (const double sharpness : {10.0, 40.0, 160.0, 640.0}) {
    // u moves slowly, and q is the best response to u. The mean of q over the steps tends to the best q.
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(c.cols());
    constexpr int kSteps = 400;
    for (int step = 0; step < kSteps; ++step) {
      const Eigen::MatrixXd sums = u * c;
      const Eigen::VectorXd squares = sums.colwise().squaredNorm().transpose();
      const double least = squares.minCoeff();
      best.low = std::max(best.low, std::sqrt(least));
      Eigen::VectorXd q = (-sharpness * (squares.array() - least) / std::max(least, 1e-3)).exp().matrix();
      q /= q.sum();
      if (step >= kSteps / 4) mean += q;
      move_towards(u, sums * q.asDiagonal() * c.transpose(), std::min(1.0, 4 / sharpness));
    }
    best.high = std::min(best.high, bound_for_weights(c, mean / mean.sum(), u));
  }
  return best;
}

}  // namespace hearsay::tests
