// What the public questions about one attribute tell about functions of its value.
//
// The answer k to question q speaks for or against every value x by κ(q, k; x) = K·[q(x) = k] - 1, where K is the
// number of answers. The matrix of the questions is symmetric and positive semidefinite:
//     M[x, y] = Σ_q Pr[q]·κ(q, q(x); y).
// Let g = μ + M·h. A report answers k truly with probability γ, and uniformly otherwise. Then μ + t(q, k)/γ is an
// unbiased estimate of g(x), where the *score* of the answer is
//     t(q, k) = Σ_y κ(q, k; y)·h(y).
// Scores of several attributes multiply: their product, over γ, is unbiased for the product of the functions g - μ.
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
    double energy;                // h'·M·h
  };
  // Returns the μ and h of least energy with g = μ + M·h. g has one number for each value. Errors: kQueryNotCovered (no
  // such h: g tells values apart that the questions do not).
  Result<Solution> solve(std::span<const double> g) const;
  Result<Solution> solve(std::span<const double> g, Work& work) const;  // throws WorkStopped

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Computes the scores t(q, k) of answers, for the weights h.
//
// Thread-safety: one thread at a time, copies included. The first question with a multiplier of a circle computes a
// table that later questions with this multiplier use.
class QuestionScores {
 public:
  QuestionScores(const Questions& questions, std::span<const double> h);
  double of(std::uint32_t question, std::uint32_t answer) const;
  // Computes the scores of all answers to the question; `scores` has K elements. Faster than one answer after the
  // other.
  void of_question(std::uint32_t question, std::span<double> scores) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hearsay::compiler
