// The decoder of a strategy with shifts: its outputs are shifts of a few rows.
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
  Eigen::MatrixXd rows;               // rows × records; all entries are positive, and together they add up to 1
  std::vector<std::uint32_t> values;  // the number of values of each attribute
};

// See StrategyDecoder for the functions. Holds the spectra of the rows instead of the matrix, so it takes about twice
// as much memory as `rows`. Immutable.
class ShiftStrategy {
 public:
  explicit ShiftStrategy(const ShiftRows& shift_rows);

  Result<Eigen::MatrixXd> scores(const Eigen::MatrixXd& functions) const;
  Eigen::MatrixXd means_of(const Eigen::MatrixXd& scores) const;
  Eigen::MatrixXd outputs_of(const Eigen::MatrixXd& people) const;
  // Returns, for each record a, the sum of weights[k]·scores[k shifted by -a] over all outputs k. Here the output (r,
  // s) shifted by -a is (r, s - a). If `scores` belong to a function f(x), the shifted scores belong to the function
  // f(x - a). So one call replaces one call of scores() for each record.
  Eigen::VectorXd shifted_sums(const Eigen::VectorXd& weights, const Eigen::VectorXd& scores) const;
  Eigen::Index records() const { return fourier_.size(); }
  const Eigen::VectorXd& mean_probabilities() const { return mean_; }

 private:
  Eigen::VectorXd correlate(const Eigen::VectorXcd& spectrum, const Eigen::VectorXd& factors,
                            GroupFourier::Run& run) const;

  GroupFourier fourier_;
  Eigen::VectorXd row_mean_;
  Eigen::VectorXd mean_;      // the mean probability of each output over the records
  Eigen::MatrixXcd pairs_;    // the transforms of the contrasts; one column for two rows
  Eigen::VectorXd inverses_;  // the inverse of each eigenvalue; 0 where an eigenvalue counts as 0
};

}  // namespace hearsay::compiler
