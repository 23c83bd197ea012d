// Second moments of answers about one attribute.
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

  // Returns E[t(q, q(x))·t'(q, q(x))] over the questions q, for each value x; t and t' are the scores of h and h'. The
  // numbers are exact if is_exact(). Otherwise h and h' must be the same, and the numbers are upper bounds. Cost for J
  // values: circles multipliers × places, levels J·log² J, parities J·log J, parities of several bits J².
  std::vector<double> at_values(std::span<const double> h, std::span<const double> h2) const;
  // Returns false for parities of several but not all bits, of more than 2^14 values.
  bool is_exact() const;
  // Returns at_values(h, h) of each function. On circles this is several times as fast as one by one.
  std::vector<std::vector<double>> squares_at_values(std::span<const std::vector<double>> functions) const;

  // Returns the largest |t(q, k)|. If levels or parities have too many questions to try all, returns an upper bound.
  double largest_score(std::span<const double> h) const;
  std::vector<double> largest_scores(std::span<const std::vector<double>> functions) const;

 private:
  Questions questions_;
};

}  // namespace hearsay::planner
