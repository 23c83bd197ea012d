// Fits, by generalised least squares, a point that should lie on a line.
#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace hearsay::estimator {

// Adds up independent blocks of coordinates. The segment leads from m0 to m1, and δ = m1 - m0. x is the observed point
// minus m0, and V is the covariance of x. The fit looks for the ω for which ωδ is near x.
class SegmentFit {
 public:
  // Adds a block. Leaves out coordinates that the other coordinates of the block determine.
  void add(const Eigen::VectorXd& x, const Eigen::VectorXd& delta, const Eigen::MatrixXd& covariance);
  // Adds a block with δ = 0, given xᵀV⁻¹x of the block and its degrees of freedom.
  void add(double square, std::size_t degrees) {
    squared_ += square;
    rank_ += degrees;
  }

  // Returns true if δ ≠ 0 in some coordinate, so that ω can be fitted.
  bool tells() const { return slope_ > 0; }
  // Returns the ω that minimises (x - ωδ)ᵀV⁻¹(x - ωδ), or ½ if tells() is false.
  double fraction() const { return tells() ? cross_ / slope_ : 0.5; }
  // statistic() returns the minimum. degrees() returns its degrees of freedom. Adding a multiple of δδᵀ to V does not
  // change the minimum.
  double statistic() const;
  std::size_t degrees() const { return rank_ - (tells() ? 1 : 0); }

 private:
  double slope_ = 0;    // δᵀV⁻¹δ
  double cross_ = 0;    // δᵀV⁻¹x
  double squared_ = 0;  // xᵀV⁻¹x
  std::size_t rank_ = 0;
};

// Returns a smallest set of coordinates that determine all others, for a point with this covariance. The coordinates
// ascend; they are the pivots of a Cholesky factorisation.
std::vector<Eigen::Index> independent_coordinates(const Eigen::MatrixXd& covariance);

}  // namespace hearsay::estimator
