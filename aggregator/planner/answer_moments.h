// Second moments of what the answers about one attribute contribute to an estimate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/channel/questions.h"

namespace hearsay::planner {

// Weights h, one for each value, give the answer k to the question q the score t(q, k) = K·Σ_{y: q(y)=k} h(y) - Σ h, K
// the number of answers (aggregator/compiler/question_law.h).
class AnswerMoments {
 public:
  explicit AnswerMoments(const Questions& questions);

  // For each value x: E[t(q, q(x))·t'(q, q(x))] over the questions q, where t and t' are the scores of h and h'.
  // Exact if is_exact(). Otherwise h and h' must be the same, and the numbers are upper bounds.
  // Cost for J values: circle (multipliers × places), levels J·log² J, parities J·log J, of several bits J².
  std::vector<double> at_values(std::span<const double> h, std::span<const double> h2) const;
  // False for parities of several bits, but not all, of more than 2^14 values.
  bool is_exact() const;
  // at_values(h, h) of each of some functions. On circles several times as fast as one by one.
  std::vector<std::vector<double>> squares_at_values(std::span<const std::vector<double>> functions) const;

  // The largest |t(q, k)|, or an upper bound where levels or parities have too many questions to try them.
  double largest_score(std::span<const double> h) const;
  std::vector<double> largest_scores(std::span<const std::vector<double>> functions) const;

 private:
  Questions questions_;
};

}  // namespace hearsay::planner
