// Plans questions of several bits on a circle that are good for all ranges of one ordered attribute.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/planner/range_scores.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"

namespace hearsay::planner {

// Computes the variance of the estimates for ranges of one attribute of J values, if each report asks about this
// attribute alone. The report asks which of K = 2^bits arcs of a circle of J places holds the value (mechanism.h). The
// questions have the same law for the values x and x + 1, cyclically. So the matrix of the questions is circulant, and
// the variance of a range depends on its length alone. A range and its complement have the same variance.
class ArcLaw {
 public:
  // `multipliers` are from 1 to J/2. `lengths` are the lengths, from 1 to J/2, of the ranges whose variance values()
  // gives. `gamma` is the probability of a true answer.
  ArcLaw(std::uint32_t values, std::uint32_t bits, double gamma, std::vector<std::uint32_t> multipliers, double epsilon,
         std::vector<std::uint32_t> lengths);

  const std::vector<std::uint32_t>& lengths() const { return lengths_; }

  // Returns weights of the multipliers that are good for the uniform population.
  Eigen::VectorXd uniform_weights() const;
  // Returns, for each length, the largest variance over populations of people drawn anew, divided by the one-query
  // limit (limit_ratio() in plan.h). `weights` are the multipliers' probabilities.
  Eigen::VectorXd values(const Eigen::VectorXd& weights);
  // Returns the gradient of Σ share·value that small_maximum() (smooth_maximum.h) needs.
  Eigen::VectorXd gradient(const Eigen::VectorXd& shares);

 private:
  struct Worst {
    double share;  // the fraction of people in the range
    std::uint32_t on;
    std::uint32_t off;
  };

  void choose_worst(std::size_t i, std::span<const double> moments);
  void add_slopes(std::size_t m, const RangeScores::Arcs& arcs, const Eigen::VectorXd& shares);

  std::uint32_t size_;  // J
  double answers_;
  std::vector<std::uint32_t> multipliers_;
  double epsilon_;
  double gamma_;
  std::vector<std::uint32_t> lengths_;
  RangeScores scores_;
  Eigen::MatrixXd spectra_;  // by multiplier and frequency 0 to J/2: the eigenvalue of the multiplier's matrix
  Eigen::MatrixXd powers_;   // by length and frequency: |f̂|²/J, where f̂ is the range's Fourier transform

  Eigen::VectorXd weights_;
  Eigen::VectorXd inverse_;  // 1 over each eigenvalue of the weighted matrix
  std::vector<Worst> worst_;
  Eigen::VectorXd values_;
  Eigen::VectorXd slopes_;
  std::vector<double> by_sums_;  // derivatives by the elements of scores_.sums()
};

struct PlannedArcs {
  CircleQuestions questions;
  // The limit_ratio of the worst range that plan_arcs() tried, if each report asks about this attribute alone.
  double limit_ratio;
};

// Plans arcs for all ranges of one attribute. `values` is from 4 to 2^11, and at least 2^bits. `answer_bits` is the
// number of bits of a report, which may answer about other attributes, too. Errors: kInvalidArgument.
Result<PlannedArcs> plan_arcs(std::uint32_t values, std::uint32_t bits, double epsilon, std::uint32_t answer_bits);

}  // namespace hearsay::planner
