// Weights of multipliers of a circle, for questions of several bits, that are good for all ranges of an ordered
// attribute.
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

// What reports that ask in which of K arcs of a circle of J places (mechanism.h) the value of one attribute with J
// values is, each alone, tell about ranges.
//
// The law of the questions is the same for x and x + 1, cyclically. So the variance of a range depends on its length
// alone, the same as that of its complement, and the matrix of the questions is circulant.
class ArcLaw {
 public:
  // `multipliers`: from 1 to J/2; `lengths` of ranges: from 1 to J/2, those whose variance values() gives.
  // `gamma`: the probability of a true answer.
  ArcLaw(std::uint32_t values, std::uint32_t bits, double gamma, std::vector<std::uint32_t> multipliers, double epsilon,
         std::vector<std::uint32_t> lengths);

  const std::vector<std::uint32_t>& lengths() const { return lengths_; }

  // Weights that are good for the uniform population.
  Eigen::VectorXd uniform_weights() const;
  // Of each length, the largest variance over populations of people drawn anew, over that of the one-query limit.
  // `weights`: the multipliers' probabilities.
  Eigen::VectorXd values(const Eigen::VectorXd& weights);
  // See small_maximum().
  Eigen::VectorXd gradient(const Eigen::VectorXd& shares);

 private:
  struct Worst {
    double share;  // of people in the range
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
  Eigen::MatrixXd spectra_;  // per multiplier and frequency 0 to J/2: eigenvalues of its questions' matrix
  Eigen::MatrixXd powers_;   // per length and frequency: |f̂|²/J

  Eigen::VectorXd weights_;
  Eigen::VectorXd inverse_;  // of the eigenvalues
  std::vector<Worst> worst_;
  Eigen::VectorXd values_;
  Eigen::VectorXd slopes_;
  std::vector<double> by_sums_;  // slopes in scores_.sums()
};

struct PlannedArcs {
  CircleQuestions questions;
  double limit_ratio;  // of the worst range that was tried, asked alone in each report
};

// `values`: from 4 to 2^11, at least 2^bits. `answer_bits`: of a report, which may answer about other attributes, too.
// Errors: kInvalidArgument.
Result<PlannedArcs> plan_arcs(std::uint32_t values, std::uint32_t bits, double epsilon, std::uint32_t answer_bits);

}  // namespace hearsay::planner
