// The decoder of a strategy whose outputs are shifts of a few rows.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "aggregator/compiler/group_fourier.h"
#include "hearsay/result.h"

namespace hearsay::compiler {

// The rows of a strategy with shifts. Output r·M + s, with M records, has the probability rows(r, x - s) for record x.
// The difference is taken as in common/channel/shift_group.h.
struct ShiftRows {
  Eigen::MatrixXd rows;               // rows × records; positive, and they add up to 1
  std::vector<std::uint32_t> values;  // the number of values of each attribute
};

// See StrategyDecoder for the functions. Holds the spectra of the rows, and never the matrix, so it takes the memory of
// `rows`. Immutable.
class ShiftStrategy {
 public:
  explicit ShiftStrategy(const ShiftRows& shift_rows);

  Result<Eigen::MatrixXd> scores(const Eigen::MatrixXd& functions) const;
  Eigen::MatrixXd means_of(const Eigen::MatrixXd& scores) const;
  Eigen::MatrixXd outputs_of(const Eigen::MatrixXd& people) const;
  // Returns one sum for each record a: that of weights[k]·scores[k shifted by -a] over the outputs k. Here the output
  // (r, s) shifted by -a is (r, s - a). If the scores are those of a function f(x), the shifted scores are those of the
  // function f(x - a). So one call replaces as many calls of scores() as there are records.
  Eigen::VectorXd shifted_sums(const Eigen::VectorXd& weights, const Eigen::VectorXd& scores) const;
  Eigen::Index records() const { return fourier_.size(); }
  const Eigen::VectorXd& mean_probabilities() const { return mean_; }

 private:
  Eigen::VectorXd correlate(const Eigen::VectorXcd& spectrum, const Eigen::VectorXd& factors,
                            GroupFourier::Run& run) const;

  GroupFourier fourier_;
  Eigen::VectorXd row_mean_;
  Eigen::VectorXd mean_;      // of each output's probabilities
  Eigen::MatrixXcd pairs_;    // spectra of the contrasts of two rows each
  Eigen::VectorXd inverses_;  // of the eigenvalues; 0 where an eigenvalue counts as 0
};

}  // namespace hearsay::compiler
