// Says which functions of an attribute's value the public questions about the attribute can estimate, and how.
//
// A question q maps the attribute's value x to one of K answers. The answer k gives the value x the number κ(q, k; x) =
// K·[q(x) = k] - 1: K-1 if x has this answer, and -1 if not. The matrix of the questions is symmetric and positive
// semidefinite:
//     M[x, y] = Σ_q Pr[q]·κ(q, q(x); y).
// Let g be a function of the value with g = μ + M·h, for a number μ and a function h. A report gives the true answer
// with probability γ, and otherwise a uniform answer. If a report answers k to question q, then μ + t(q, k)/γ is an
// unbiased estimate of g(x), where the *score* of the answer is
//     t(q, k) = Σ_y κ(q, k; y)·h(y).
// A report may answer questions about several attributes. Then the product of the scores, divided by γ, is an unbiased
// estimate of the product of the functions g - μ.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "common/channel/questions.h"
#include "hearsay/result.h"

namespace hearsay::compiler {

// Copies share their state. Thread-safe.
class QuestionLaw {
 public:
  explicit QuestionLaw(const Questions& questions);
  QuestionLaw(const Questions& questions, Work& work);  // throws WorkStopped

  // Returns M·h, one number for each value.
  std::vector<double> apply(std::span<const double> h) const;

  struct Solution {
    double mean;                  // μ
    std::vector<double> weights;  // h; Σh = 0
    double energy;                // hᵀ·M·h
  };
  // Returns the μ and h of least energy with g = μ + M·h. g has one number for each value. Errors: kQueryNotCovered
  // (there is no such h: g differs between values that the questions cannot distinguish).
  Result<Solution> solve(std::span<const double> g) const;
  Result<Solution> solve(std::span<const double> g, Work& work) const;  // throws WorkStopped

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Computes the scores t(q, k) of answers, for the weights h.
//
// Thread-safety: one thread at a time, copies included. For a circle, the first question with a multiplier computes a
// table, which later questions with this multiplier use.
class QuestionScores {
 public:
  QuestionScores(const Questions& questions, std::span<const double> h);
  double of(std::uint32_t question, std::uint32_t answer) const;
  // Computes the scores of all answers to the question; `scores` has K elements. For parities and levels, faster than K
  // calls of of().
  void of_question(std::uint32_t question, std::span<double> scores) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hearsay::compiler
