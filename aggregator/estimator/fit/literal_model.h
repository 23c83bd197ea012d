// Predicts expectations and covariances of the literals' estimated means from a reference distribution.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/class_moments.h"
#include "aggregator/estimator/fit/literal_means.h"
#include "common/arrangement/literals.h"
#include "hearsay/schema.h"

namespace hearsay::estimator {

// Some coordinates, their means m0 and m1 in the query's classes f = 0 and f = 1, and the covariance of the estimated
// means m̂ for any fraction ω of class 1.
class LiteralModel {
 public:
  // `coordinates` ascend, and each has reports. Coordinates that `moments` does not cover are uniform and independent
  // of the query. If `moments` is null, this holds for all coordinates.
  LiteralModel(const Schema& schema, const Literals& literals, std::span<const LiteralMean> means,
               std::vector<std::uint32_t> coordinates, const compiler::ClassMoments* moments);

  std::size_t size() const { return coordinates_.size(); }
  std::uint32_t coordinate(std::size_t i) const { return coordinates_[i]; }

  const Eigen::VectorXd& observed() const { return observed_; }  // m̂ - m0
  Eigen::VectorXd delta() const { return mean_[1] - mean_[0]; }  // m1 - m0
  // Returns the covariance of m̂ - m0 - ωδ, with δ = m1 - m0 and ω = `fraction` in [0, 1]. The covariance is due to the
  // channel's noise, the draw of people, and the sampling of the reference, if the reference is a sample.
  Eigen::MatrixXd covariance(double fraction) const;
  // Returns a smallest set of coordinates that determine all others. For example, the indicators of one attribute add
  // up to a constant. If there is hardly any noise, the result lacks one of the indicators.
  std::vector<Eigen::Index> independent() const;

 private:
  void set_uniform(const Schema& schema, const Literals& literals, const std::vector<std::uint32_t>& attribute_of);
  void set_known(const compiler::ClassMoments& moments);
  Eigen::MatrixXd sampling_error(double fraction) const;
  bool same_group(Eigen::Index i, Eigen::Index j) const { return of(i).group == of(j).group; }
  const LiteralMean& of(Eigen::Index i) const { return means_[coordinates_[static_cast<std::size_t>(i)]]; }

  std::span<const LiteralMean> means_;
  std::vector<std::uint32_t> coordinates_;
  Eigen::VectorXd observed_;
  std::array<Eigen::VectorXd, 2> mean_;
  std::array<Eigen::MatrixXd, 2> covariance_;  // the covariance of a(x) in each class
  std::array<std::uint32_t, 2> members_{0, 0};
};

// A sum of squares xᵀV⁻¹x, and its degrees of freedom. x are the deviations of a uniform attribute's estimated means
// from their expectations, and V is the covariance of x. The channel must be `laplace`. uniform_square() takes time
// proportional to the number of coordinates; the same computation with a LiteralModel would take longer.
struct Square {
  double value;
  std::size_t degrees;
};
Square uniform_square(const Attribute& attribute, std::span<const LiteralMean> means);

// Returns the attribute of each coordinate.
std::vector<std::uint32_t> attributes_of_coordinates(const Literals& literals);

}  // namespace hearsay::estimator
