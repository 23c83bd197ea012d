// Symbols: W_κ = probability of class κ, e_qT = energies, A_κT = information, I_T = Σ_κ W_κ·A_κT, v_q = Σ_T e_qT/I_T,
// λ_q = weights of the queries in the Lagrangian F = Σ_q λ_q·v_q.

#include "aggregator/planner/saddle_point.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace hearsay::planner {
namespace {

using Vector = Eigen::VectorXd;

constexpr double kCloseTo = 2e-3;

class SaddleSearch {
 public:
  SaddleSearch(const SetInformation& information, const std::vector<SetEnergy>& energies)
      : information_(static_cast<Eigen::Index>(information.size()),
                     static_cast<Eigen::Index>(information.front().size())),
        energies_(energies) {
    for (Eigen::Index k = 0; k < classes(); ++k) {
      information_.row(k) = Vector::Map(information[static_cast<std::size_t>(k)].data(), sets()).transpose();
    }
  }

  SaddlePoint run() {
    if (!follow_slopes() && can_afford_newton()) follow_barrier();
    return {{best_.data(), best_.data() + best_.size()},
            {best_lambda_.data(), best_lambda_.data() + best_lambda_.size()},
            worst_,
            lower_};
  }

 private:
  Eigen::Index classes() const { return information_.rows(); }
  Eigen::Index sets() const { return information_.cols(); }
  Eigen::Index queries() const { return static_cast<Eigen::Index>(energies_.size()); }

  Vector variances(const Vector& present) const {
    Vector list = Vector::Zero(queries());
    for (Eigen::Index q = 0; q < queries(); ++q) {
      for (const auto& [t, energy] : energies_[static_cast<std::size_t>(q)]) {
        list[q] += energy / present[static_cast<Eigen::Index>(t)];
      }
    }
    return list;
  }

  // Returns Σ_q factors_q·e_qT for each set T. Symbols here and below: top of file.
  Vector weighted_energies(const Vector& factors) const {
    Vector sums = Vector::Zero(sets());
    for (Eigen::Index q = 0; q < queries(); ++q) {
      for (const auto& [t, energy] : energies_[static_cast<std::size_t>(q)]) {
        sums[static_cast<Eigen::Index>(t)] += factors[q] * energy;
      }
    }
    return sums;
  }

  struct Point {
    Vector variance;
    Vector gradient;  // -∂F/∂W
    double value;     // F
  };

  // Evaluates F at the weights and λ. The weights sum to 1, and so do the λ_q. F is convex and homogeneous of degree -1
  // in W, so its minimum is at least F²/max_κ(-∂F/∂W_κ).
  Point look_at(const Vector& weights, const Vector& lambda) {
    const Vector present = information_.transpose() * weights;
    Point point{variances(present), {}, 0};
    point.value = lambda.dot(point.variance);
    point.gradient = information_ * weighted_energies(lambda).cwiseQuotient(present.cwiseAbs2());
    const double bound = point.value * point.value / point.gradient.maxCoeff();
    if (bound > lower_) {
      lower_ = bound;
      best_lambda_ = lambda;
    }
    const double worst = point.variance.maxCoeff();
    if (worst < worst_) {
      worst_ = worst;
      best_ = weights;
    }
    return point;
  }

  bool is_close() const { return worst_ <= lower_ * (1 + kCloseTo); }

  // For given λ, the step W_κ ∝ W_κ·√(-∂F/∂W_κ) lowers F and keeps the sum of the weights. Then the search adapts λ to
  // the variances of the queries. Returns true if the bound is close.
  bool follow_slopes() {
    constexpr int kSlopeSteps = 3'000;
    Vector weights = Vector::Constant(classes(), 1 / static_cast<double>(classes()));
    Vector lambda = Vector::Constant(queries(), 1 / static_cast<double>(queries()));
    for (int step = 0; step < kSlopeSteps; ++step) {
      const Point point = look_at(weights, lambda);
      if (is_close()) return true;
      weights.array() *= (point.gradient / point.value).array().sqrt();
      weights /= weights.sum();
      lambda.array() *= (point.variance / point.variance.maxCoeff()).array().pow(1 / (1 + 0.01 * step));
      lambda /= lambda.sum();
    }
    return false;
  }

  bool can_afford_newton() const {
    constexpr Eigen::Index kMostClasses = 512;
    constexpr double kMostWork = 0x1p28;
    const auto many = static_cast<double>(classes());
    return classes() <= kMostClasses && many * many * static_cast<double>(queries() + sets()) <= kMostWork;
  }

  // Minimising ΣW subject to all v_q <= 1 is an equivalent problem. Takes Newton steps on the barrier of that problem:
  //   τ·ΣW - Σ_q log(1 - v_q) - Σ_κ log W_κ.
  // At the minimum of the barrier, λ_q is in proportion to 1/(1 - v_q). τ grows until lower_ is close to worst_.
  void follow_barrier() {
    constexpr int kNewtonSteps = 400;
    constexpr double kCentred = 1e-2;
    constexpr double kFaster = 4;
    Vector weights = 2 * worst_ * best_.cwiseMax(1e-9 / static_cast<double>(classes()));
    double tau = static_cast<double>(classes() + queries()) / weights.sum();
    for (int step = 0; step < kNewtonSteps && !is_close(); ++step) {
      const std::optional<double> decrement = newton_step(tau, weights);
      if (!decrement) break;
      if (*decrement > kCentred) continue;
      Vector lambda = (1 - variances(information_.transpose() * weights).array()).inverse();
      lambda /= lambda.sum();
      look_at(weights / weights.sum(), lambda);
      tau *= kFaster;
    }
  }

  double barrier(double tau, const Vector& weights) const {
    if (weights.minCoeff() <= 0) return std::numeric_limits<double>::infinity();
    const Vector slack = 1 - variances(information_.transpose() * weights).array();
    if (slack.minCoeff() <= 0) return std::numeric_limits<double>::infinity();
    return tau * weights.sum() - slack.array().log().sum() - weights.array().log().sum();
  }

  // Takes a Newton step with the weights. Returns the squared decrement before the step, which is twice the gain of an
  // ideal step. Returns nothing if rounding leaves no step. The unknowns are the relative changes of the weights.
  std::optional<double> newton_step(double tau, Vector& weights) const {
    const Vector present = information_.transpose() * weights;
    const Vector pressure = (1 - variances(present).array()).inverse();
    const Eigen::MatrixXd scaled = weights.asDiagonal() * information_;
    Eigen::MatrixXd pulls = Eigen::MatrixXd::Zero(sets(), queries());  // at (set, query): pressure·(-∂v_q/∂I_T)
    for (Eigen::Index q = 0; q < queries(); ++q) {
      for (const auto& [t, energy] : energies_[static_cast<std::size_t>(q)]) {
        const auto set = static_cast<Eigen::Index>(t);
        pulls(set, q) += pressure[q] * energy / (present[set] * present[set]);
      }
    }
    const Vector pull = pulls.rowwise().sum();
    const Vector slope = (tau * weights - scaled * pull).array() - 1;
    const Eigen::MatrixXd slopes = scaled * pulls;
    Eigen::MatrixXd curvature = slopes * slopes.transpose();
    curvature += scaled * (2 * pull.cwiseQuotient(present)).asDiagonal() * scaled.transpose();
    curvature.diagonal().array() += 1;
    const Vector change = -curvature.ldlt().solve(slope);
    const double decrement = -slope.dot(change);
    if (!(decrement > 0) || !change.allFinite()) return std::nullopt;
    const double before = barrier(tau, weights);
    for (double length = 1; length > 1e-9; length /= 2) {
      const Vector moved = weights.cwiseProduct((1 + length * change.array()).matrix());
      if (barrier(tau, moved) > before - length * decrement / 10) continue;
      weights = moved;
      return decrement;
    }
    return decrement <= 1e-6 ? std::optional(0.0) : std::nullopt;
  }

  Eigen::MatrixXd information_;  // A_κT
  const std::vector<SetEnergy>& energies_;
  Vector best_;
  Vector best_lambda_;
  double worst_ = std::numeric_limits<double>::infinity();  // of best_
  double lower_ = 0;
};

}  // namespace

SaddlePoint saddle_point(const SetInformation& information, const std::vector<SetEnergy>& energies) {
  return SaddleSearch(information, energies).run();
}

}  // namespace hearsay::planner
