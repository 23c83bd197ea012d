// The law of thresholds: every question asks on which side of one cut between neighbouring values a value lies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/question_law.h"
#include "common/channel/questions.h"

namespace hearsay::compiler {

// On a circle of N places, N even, half-circles with the multiplier 1 alone ask [value >= N/2 - θ]. If N/2 >= J-1, each
// cut has a question of its own. Then M[x, y] = 1 - 4·|x - y|/N, and g = μ + M·h is solved cut by cut: the score at a
// cut is N/4 times the step that g makes there. Every g has a solution, found in one pass over its values.
class StepLaw {
 public:
  static bool is_of(const Questions& questions);
  // Requires is_of(questions).
  explicit StepLaw(const Questions& questions);

  std::vector<double> apply(std::span<const double> h) const;
  QuestionLaw::Solution solve(std::span<const double> g) const;

 private:
  double cuts_;  // N/2
};

}  // namespace hearsay::compiler
