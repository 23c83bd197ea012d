// Generalised least squares for a point that should lie on a line.
#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace hearsay::estimator {

// Adds up independent blocks of coordinates. x is the observed point relative to one end m0 of the segment, δ = m1-m0,
// and V is the covariance of x.
class SegmentFit {
 public:
  // Adds a block. Leaves out coordinates whose variance vanishes given the coordinates added before.
  void add(const Eigen::VectorXd& x, const Eigen::VectorXd& delta, const Eigen::MatrixXd& covariance);
  // Adds xᵀV⁻¹x of a block with δ = 0 and this many degrees of freedom.
  void add(double square, std::size_t degrees) {
    squared_ += square;
    rank_ += degrees;
  }

  // Returns true if some coordinate tells the ends apart.
  bool tells() const { return slope_ > 0; }
  // Returns the ω that minimises (x - ωδ)ᵀV⁻¹(x - ωδ), or ½ if no coordinate tells the ends apart.
  double fraction() const { return tells() ? cross_ / slope_ : 0.5; }
  // Returns the minimum, and its degrees of freedom. Adding a multiple of δδᵀ to V does not change the minimum.
  double statistic() const;
  std::size_t degrees() const { return rank_ - (tells() ? 1 : 0); }

 private:
  double slope_ = 0;    // δᵀV⁻¹δ
  double cross_ = 0;    // δᵀV⁻¹x
  double squared_ = 0;  // xᵀV⁻¹x
  std::size_t rank_ = 0;
};

// Returns, ascending, as few coordinates as determine all others for a point with this covariance. These are the pivots
// of a Cholesky factorisation.
std::vector<Eigen::Index> independent_coordinates(const Eigen::MatrixXd& covariance);

}  // namespace hearsay::estimator
