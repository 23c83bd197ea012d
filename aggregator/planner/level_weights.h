// Plans sets of levels that are good for all ranges of one ordered attribute.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "hearsay/mechanism.h"
#include "hearsay/result.h"

namespace hearsay::planner {

// The values first <= x < last.
struct ValueRange {
  std::uint32_t first;
  std::uint32_t last;
};

// Computes the variance of the estimates for ranges of one attribute of 2^b values, if each report asks a set of levels
// (mechanism.h) about this attribute alone.
//
// The matrix of the questions is diagonal in the parities. All parities of a level l have the eigenvalue
//   λ_l = Σ_S P(S)·2^-n_l(S), over the sets S that have l.
// P(S) is the probability of S, and n_l(S) the number of bits above l that are not in S. Let g_l be the part of the
// range's indicator f in the parities of level l. For a value x, compare two means of f: over the node of 2^l values
// that holds x, and over the node beside this node. g_l(x) is half the difference of the two means. Given the set S,
// the masks of different levels have independent free bits, and the mask of l is correlated only with itself. So the
// score t of the true answer has
//   E[t²|x, S] = (Σ_{l∈S} 2^-n_l·g_l(x)/λ_l)² + Σ_{l∈S} λ_l^-2·2^-2n_l·Σ_{p>l, p∉S} 2^{n_l(S) below p}·mean g_l²,
// where "n_l(S) below p" counts only bits below p, and the last mean is over the node of 2^p values beside that of x. A
// uniform answer has E[t²] = Σ_l energy_l/λ_l, where energy_l is the mean of g_l² over all values. These moments depend
// only on the nodes that the range's two ends cut.
class LevelLaw {
 public:
  static constexpr std::uint32_t kMostBits = 13;
  static constexpr std::uint32_t kMostValues = 1U << kMostBits;

  // `values` is J, at most 2^b. Numbers from J up to 2^b, which nobody has, count as J - 1. `sets` are masks of levels,
  // all with the same number of levels. `ranges` are the ranges whose variance values() gives. `gamma` is the
  // probability of a true answer.
  LevelLaw(std::uint32_t values, double gamma, std::vector<std::uint32_t> sets, double epsilon,
           std::vector<ValueRange> ranges);

  void set_ranges(std::vector<ValueRange> ranges) { ranges_ = std::move(ranges); }
  const std::vector<std::uint32_t>& sets() const { return sets_; }

  // Returns, for each range, the largest variance over populations of people drawn anew, divided by the one-query limit
  // (limit_ratio() in plan.h). `weights` are the sets' probabilities.
  Eigen::VectorXd values(const Eigen::VectorXd& weights);
  // Returns the gradient of Σ share·value that small_maximum() (smooth_maximum.h) needs.
  Eigen::VectorXd gradient(const Eigen::VectorXd& shares) const;

 private:
  // The population in which the variance of a range is largest.
  struct Worst {
    double share;  // the fraction of people in the range
    std::uint32_t on;
    std::uint32_t off;
  };
  struct Found;
  using PerLevel = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostBits, 1>;

  void set_law(const Eigen::VectorXd& weights);
  double mean_in(const ValueRange& range, std::uint32_t value, std::uint32_t level) const;
  PerLevel parts_at(const ValueRange& range, std::uint32_t value) const;
  PerLevel squares_in(const ValueRange& range, std::uint32_t node, std::uint32_t height) const;
  Eigen::MatrixXd squares_beside(const ValueRange& range, std::uint32_t value) const;
  void search(const ValueRange& range, std::uint32_t cut, std::uint32_t other, Found& found) const;
  double worst_of(const ValueRange& range, Worst& worst) const;

  std::uint32_t values_;
  std::uint32_t bits_;
  std::vector<std::uint32_t> sets_;
  double gamma_;
  double epsilon_;
  Eigen::MatrixXd covers_;  // by set S and level l: 2^-n_l(S), or 0 if l is not in S
  std::vector<Eigen::MatrixXd>
      besides_;  // by set S, at (l, p): the factor of mean g_l² in E[t²|x, S] without λ_l, or 0
  std::vector<ValueRange> ranges_;

  Eigen::VectorXd lambda_;
  Eigen::MatrixXd products_;     // at (l, m): the factor of g_l·g_m, averaged over the sets
  Eigen::MatrixXd mean_square_;  // at (l, p): the factor of the mean of g_l² in the node of height p beside
  std::vector<Worst> worst_;
};

// Returns all ranges of J values except the range of all values. If J is a power of 2, returns only one of two mirrored
// ranges. If a range ends with the last value, its `last` is 2^b.
std::vector<ValueRange> all_ranges(std::uint32_t values);

struct PlannedLevels {
  LevelQuestions questions;
  // The limit_ratio of the worst range that plan_levels() tried. plan_levels() drops ranges that are far from the worst
  // for equal weights. For more than 1,024 values, plan_levels() tries only some of the ranges.
  double limit_ratio;
};

// Returns good weights for the sets of `width` levels. `values` is from 2 to 2^13. `answer_bits` is the number of bits
// of a report, which may answer about other attributes, too. Errors: kInvalidArgument (more levels than bits),
// kLimitExceeded (too many questions).
Result<PlannedLevels> plan_levels(std::uint32_t values, std::uint32_t width, double epsilon, std::uint32_t answer_bits);

}  // namespace hearsay::planner
