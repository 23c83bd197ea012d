// What the public questions about one attribute tell about functions of its value.
//
// The answer k to question q speaks for or against every value x by κ(q, k; x) = K·[q(x) = k] - 1, K the number of
// answers. The matrix of the questions is
//   M[x, y] = Σ_q Pr[q]·κ(q, q(x); y),
// symmetric and positive semidefinite. If g = μ + M·h, a report about this attribute that answers k, true with
// probability γ and uniform otherwise, gives the unbiased estimate μ + t(q, k)/γ of g(x), where
//   t(q, k) = Σ_y κ(q, k; y)·h(y)
// is the *score* of the answer. Answers about several attributes multiply: the product of the scores, over γ, is
// unbiased for the product of the functions g - μ.
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

  // M·h, one number for each value.
  std::vector<double> apply(std::span<const double> h) const;

  struct Solution {
    double mean;                  // μ
    std::vector<double> weights;  // h; Σh = 0
    double energy;                // h'·M·h
  };
  // The μ and h with g = μ + M·h that have the least energy. g has one number for each value.
  // Errors: kQueryNotCovered (no h: the questions do not tell values apart that g does).
  Result<Solution> solve(std::span<const double> g) const;
  Result<Solution> solve(std::span<const double> g, Work& work) const;  // throws WorkStopped

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// The scores t(q, k) of the weights h.
//
// Thread-safety: one thread at a time, copies included. What questions about a multiplier of a circle have in common is
// computed when the first of them is asked for.
class QuestionScores {
 public:
  QuestionScores(const Questions& questions, std::span<const double> h);
  double of(std::uint32_t question, std::uint32_t answer) const;
  // Of all answers to the question; `scores` has K elements. Faster than one after the other.
  void of_question(std::uint32_t question, std::span<double> scores) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hearsay::compiler
