// What a reference distribution predicts for the debiased means of literals: expectations and covariances.
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

// Some coordinates, their means in the query's classes, and the covariance of m̂ for any fraction ω of class 1.
class LiteralModel {
 public:
  // `coordinates` ascend, and each has reports. Coordinates that `moments` does not have are uniform and independent of
  // the query. Without `moments`, all are.
  LiteralModel(const Schema& schema, const Literals& literals, std::span<const LiteralMean> means,
               std::vector<std::uint32_t> coordinates, const compiler::ClassMoments* moments);

  std::size_t size() const { return coordinates_.size(); }
  std::uint32_t coordinate(std::size_t i) const { return coordinates_[i]; }

  const Eigen::VectorXd& observed() const { return observed_; }  // m̂ - m0
  Eigen::VectorXd delta() const { return mean_[1] - mean_[0]; }  // m1 - m0
  // Returns the covariance of m̂ - m0 - ωδ over the channel, the people and the reference's own sampling. `fraction` is
  // in [0, 1].
  Eigen::MatrixXd covariance(double fraction) const;
  // Returns coordinates that determine all others, and of which none is determined by the rest. For example, indicators
  // of one attribute add up to a constant; if there is hardly any noise, one of them is left out.
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
  std::array<Eigen::MatrixXd, 2> covariance_;  // of a(x) in the two classes
  std::array<std::uint32_t, 2> members_{0, 0};
};

// Returns xᵀV⁻¹x of a uniform attribute's coordinates and its degrees of freedom, for the channel `laplace`. A
// LiteralModel gives the same, but not in time proportional to the coordinates.
struct Square {
  double value;
  std::size_t degrees;
};
Square uniform_square(const Attribute& attribute, std::span<const LiteralMean> means);

// Returns the attribute of each coordinate.
std::vector<std::uint32_t> attributes_of_coordinates(const Literals& literals);

}  // namespace hearsay::estimator
