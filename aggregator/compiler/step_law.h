// Computes with the matrix of thresholds: questions that ask on which side of a cut between neighbouring values a value
// lies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/question_law.h"
#include "common/channel/questions.h"

namespace hearsay::compiler {

// Let a circle have N places, N even, and only the multiplier 1. Then a half-circle with a turn θ < N/2 asks whether
// value >= N/2 - θ, and the turn θ + N/2 asks the same. If N/2 >= J-1, where J is the number of values, each cut has a
// question of its own. Then the matrix of the questions (question_law.h) is M[x, y] = 1 - 4·|x - y|/N. Every g has a
// solution of g = μ + M·h, and one pass over the values finds h: the score at a cut is N/4 times the step of g at this
// cut.
class StepLaw {
 public:
  static bool is_of(const Questions& questions);
  // is_of(questions) must be true.
  explicit StepLaw(const Questions& questions);

  std::vector<double> apply(std::span<const double> h) const;
  QuestionLaw::Solution solve(std::span<const double> g) const;

 private:
  double cuts_;  // N/2
};

}  // namespace hearsay::compiler
