// Computes second moments of the scores of answers about one attribute.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/channel/questions.h"

namespace hearsay::planner {

// Given weights h, one for each value, the answer k to the question q has the score t(q, k) = K·Σ_{y: q(y)=k} h(y) - Σ
// h, where K is the number of answers (aggregator/compiler/question_law.h).
class AnswerMoments {
 public:
  explicit AnswerMoments(const Questions& questions);

  // Returns E[t(q, q(x))·t'(q, q(x))] over the questions q, for each value x; t and t' are the scores of h and h2. The
  // numbers are exact if is_exact(). Otherwise h and h2 must be the same, and the numbers are upper bounds. Cost for J
  // values: multipliers × places for circles, J·log² J for levels, J·log J for parities of one bit, J² for parities of
  // several bits.
  std::vector<double> at_values(std::span<const double> h, std::span<const double> h2) const;
  // Returns false if the questions are parities of several bits, but not of all bits, and there are more than 2^14
  // values.
  bool is_exact() const;
  // Returns at_values(h, h) for each function h. On circles, squares_at_values() is several times faster than one call
  // of at_values() for each function.
  std::vector<std::vector<double>> squares_at_values(std::span<const std::vector<double>> functions) const;

  // Returns the largest |t(q, k)|, or an upper bound if levels or parities have too many questions to try all.
  double largest_score(std::span<const double> h) const;
  std::vector<double> largest_scores(std::span<const std::vector<double>> functions) const;

 private:
  Questions questions_;
};

}  // namespace hearsay::planner
