// The largest margin of a class by other means than the product's: gradient ascent on vectors of full rank, which finds
// the optimum of the semidefinite program, and an eigenvalue for the other side.
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

// Coefficients c_xf of a query's average margin Σ_x c_xf·<u_x, v_f>.
inline Eigen::MatrixXd average_coefficients(const bounds::SignMatrix& matrix, bool over_classes) {
  const auto rows = static_cast<Eigen::Index>(matrix.rows());
  std::vector<Eigen::VectorXd> columns;
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    const std::size_t yes = matrix.satisfying(f);
    const std::size_t no = matrix.rows() - yes;
    if (over_classes && (yes == 0 || no == 0)) continue;
    Eigen::VectorXd column(rows);
    for (std::size_t x = 0; x < matrix.rows(); ++x) {
      const double share = over_classes ? 2.0 * static_cast<double>(matrix(x, f) == 1 ? yes : no)
                                        : static_cast<double>(matrix.rows());
      column[static_cast<Eigen::Index>(x)] = matrix(x, f) / share;
    }
    columns.push_back(column);
  }
  Eigen::MatrixXd result(rows, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t f = 0; f < columns.size(); ++f) result.col(static_cast<Eigen::Index>(f)) = columns[f];
  return result;
}

// max over unit u_x of min_f ‖Σ_x c_xf·u_x‖, with a smooth minimum that sharpens.
inline MarginEnclosure convex_margin(const Eigen::MatrixXd& c, std::mt19937_64& generator) {
  const Eigen::Index rows = c.rows();
  Eigen::MatrixXd u(rows, rows);
  for (double& entry : u.reshaped()) entry = static_cast<double>(generator() >> 11U) * 0x1p-52 - 1;
  u.colwise().normalize();
  MarginEnclosure best{0, 1e9};
  for (double sharpness = 8; sharpness < 20000; sharpness *= 2) {
    for (int step = 0; step < 60; ++step) {
      const Eigen::MatrixXd sums = u * c;  // one a query
      const Eigen::ArrayXd squares = sums.colwise().squaredNorm();
      Eigen::ArrayXd q = (-sharpness * (squares - squares.minCoeff()) / squares.minCoeff()).exp();
      q /= q.sum();
      best.low = std::max(best.low, std::sqrt(squares.minCoeff()));
      // u_x moves towards the direction that the weighted queries want, as far as the smoothness allows.
      const Eigen::MatrixXd wanted = sums * q.matrix().asDiagonal() * c.transpose();
      const Eigen::ArrayXd lengths = wanted.colwise().norm().transpose();
      const double rate = std::min(1.0, 8 / sharpness);
      // diag(d) - C·diag(q)·Cᵀ, shifted until it is semidefinite, bounds the square of every arrangement's margin.
      const Eigen::MatrixXd weighted = c * q.matrix().asDiagonal() * c.transpose();
      const Eigen::MatrixXd rest = Eigen::MatrixXd(lengths.matrix().asDiagonal()) - weighted;
      if (step % 10 == 9) {
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(rest, Eigen::EigenvaluesOnly);
        const double shift = std::max(0.0, -solver.eigenvalues().minCoeff());
        best.high = std::min(best.high, std::sqrt(lengths.sum() + static_cast<double>(rows) * shift));
      }
      for (Eigen::Index x = 0; x < rows; ++x) {
        if (lengths[x] > 0) u.col(x) = (1 - rate) * u.col(x) + rate * wanted.col(x) / lengths[x];
      }
      u.colwise().normalize();
    }
  }
  return best;
}

}  // namespace hearsay::tests
