// Generalised least squares for a point that should lie on a line.
#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace hearsay::estimator {

// Sums over independent blocks of coordinates: x is the observed point relative to one end m0 of the segment, δ =
// m1-m0, V the covariance of x.
class SegmentFit {
 public:
  // Adds a block. Coordinates whose variance given the others added before them vanishes are left out.
  void add(const Eigen::VectorXd& x, const Eigen::VectorXd& delta, const Eigen::MatrixXd& covariance);
  // Adds xᵀV⁻¹x of a block with δ = 0 and that many degrees of freedom.
  void add(double square, std::size_t degrees) {
    squared_ += square;
    rank_ += degrees;
  }

  // Whether any coordinate tells the ends apart.
  bool tells() const { return slope_ > 0; }
  // The ω that minimises (x - ωδ)ᵀV⁻¹(x - ωδ); ½ if no coordinate tells.
  double fraction() const { return tells() ? cross_ / slope_ : 0.5; }
  // That minimum, and its degrees of freedom. It does not change if a multiple of δδᵀ is added to V.
  double statistic() const;
  std::size_t degrees() const { return rank_ - (tells() ? 1 : 0); }

 private:
  double slope_ = 0;    // δᵀV⁻¹δ
  double cross_ = 0;    // δᵀV⁻¹x
  double squared_ = 0;  // xᵀV⁻¹x
  std::size_t rank_ = 0;
};

// The coordinates, as few as determine all others, of a point with this covariance: pivots of a Cholesky factorisation,
// ascending.
std::vector<Eigen::Index> independent_coordinates(const Eigen::MatrixXd& covariance);

}  // namespace hearsay::estimator
