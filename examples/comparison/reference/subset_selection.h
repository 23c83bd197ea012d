// Subset selection: the report is a set of cells. Sets that hold the person's own cell are more likely than others.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// Ye and Barg, "Optimal schemes for discrete distribution estimation under locally differential privacy" (IEEE
// Transactions on Information Theory 2018); Wang et al., "Mutual information optimally local private discrete
// distribution estimation" (2016). A report is a set of `chosen` of the k cells. Sets that hold the person's own cell
// have e^ε times the probability of other sets. A cell's estimate is (share of reports that hold the cell - q)/(p - q).
// Here p is the probability that a report holds the person's own cell, and q the probability that it holds a given
// other cell.
//
// For made-up people only: the randomness is not cryptographic.
class SubsetSelection {
 public:
  // `chosen` is ⌊k/(e^ε+1)⌋ or one more, whichever has the smaller variance for a cell without people. `cells` >= 2.
  static SubsetSelection create(std::size_t cells, double epsilon);

  std::size_t chosen() const { return chosen_; }
  double p() const { return p_; }
  double q() const { return q_; }

  // Lets a population report, and returns how many reports hold each cell. `histogram` counts the people by cell.
  std::vector<std::uint64_t> counts(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;
  std::vector<double> estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const;

  // Returns for each cell x the variance of W/(p-q), the contribution of one report by a person in x to Σ_c
  // weight[c]·estimate[c], covariances between cells included. W is the sum of the weights of the cells in the set.
  // Whether or not the set holds x, its other m cells are drawn from the k-1 other cells without replacement. Their
  // part of the variance of W is m·(1-m/(k-1))·s², with the (unbiased) variance s² of the other cells' weights. The
  // mean of W depends on whether the set holds x. This adds p(1-p)·(weight[x] - mean of the other cells' weights)².
  std::vector<double> report_variances(std::span<const double> weights) const;

 private:
  SubsetSelection(std::size_t cells, std::size_t chosen, double epsilon);
  double empty_cell_variance() const { return q_ * (1 - q_) / ((p_ - q_) * (p_ - q_)); }

  std::size_t chosen_;
  double p_;
  double q_;
};

}  // namespace hearsay::examples
