// Holds functions of one attribute, and their moments under given questions. If the questions are arcs on a
// circle, the weights of the multipliers may be adjusted.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/compiler/question_law.h"
#include "aggregator/planner/answer_moments.h"
#include "aggregator/planner/circle_functions.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"

namespace hearsay::planner {

class AttributeFunctions {
 public:
  // If `adjust` is true, the weights of multipliers may change. Weights can change only on a circle with one place for
  // each value, for at most 128 values. Otherwise the weights stay fixed. Errors: those of Questions::create().
  static Result<AttributeFunctions> create(const QuestionSpec& spec, std::uint32_t values, bool adjust);

  // Returns the number of the function, and adds the function if it is new. Errors: kQueryNotCovered (the function
  // tells values apart that the questions do not tell apart), kLimitExceeded (the function's second moments cannot be
  // computed exactly).
  Result<std::size_t> number_of(const std::vector<double>& function);

  // Returns how many weights may change. The weights, also the initial weights, are positive and sum to 1.
  std::size_t weights() const { return circle_ ? circle_->multipliers() : 0; }
  Eigen::VectorXd initial_weights() const;
  void set_weights(const Eigen::VectorXd& weights) { circle_->set_weights(weights); }

  const FunctionMoments& function(std::size_t number) const {
    return circle_ ? circle_->function(number) : fixed_[number];
  }
  // See CircleFunctions::add_slopes().
  void add_slopes(std::size_t number, double by_energy, std::span<const double> by_moment,
                  Eigen::VectorXd& slopes) const {
    circle_->add_slopes(number, by_energy, by_moment, slopes);
  }
  QuestionSpec spec(const Eigen::VectorXd& weights) const;
  // Returns about how many multiplications set_weights() and add_slopes() take for all functions.
  double work() const { return circle_ ? circle_->work() : 0; }

 private:
  AttributeFunctions(const Questions& questions, std::optional<CircleFunctions> circle)
      : questions_(questions), law_(questions), moments_(questions), circle_(std::move(circle)) {}
  Result<FunctionMoments> fixed(const std::vector<double>& function) const;

  Questions questions_;
  compiler::QuestionLaw law_;
  AnswerMoments moments_;
  std::optional<CircleFunctions> circle_;
  std::vector<FunctionMoments> fixed_;
  std::map<std::vector<double>, std::size_t> known_;
};

}  // namespace hearsay::planner
