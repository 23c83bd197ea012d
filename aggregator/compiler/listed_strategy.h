// The decoder of a strategy with a matrix that is listed entry by entry.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "hearsay/result.h"

namespace hearsay::compiler {

// See StrategyDecoder for the functions. Immutable.
class ListedStrategy {
 public:
  explicit ListedStrategy(Eigen::MatrixXd probabilities);

  Result<Eigen::MatrixXd> scores(const Eigen::MatrixXd& functions) const;
  Eigen::MatrixXd means_of(const Eigen::MatrixXd& scores) const { return probabilities_.transpose() * scores; }
  Eigen::MatrixXd outputs_of(const Eigen::MatrixXd& people) const { return probabilities_ * people; }
  Eigen::Index records() const { return probabilities_.cols(); }
  const Eigen::VectorXd& mean_probabilities() const { return mean_; }

 private:
  Eigen::MatrixXd probabilities_;
  Eigen::VectorXd mean_;       // the mean probability of each output over the records
  Eigen::MatrixXd contrasts_;  // D⁻¹C, see listed_strategy.cc
  Eigen::LLT<Eigen::MatrixXd> normal_;
};

}  // namespace hearsay::compiler
