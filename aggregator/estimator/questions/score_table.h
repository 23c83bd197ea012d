// The scores of all answers about one attribute, for one function of its value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/compiler/question_law.h"
#include "aggregator/compiler/work.h"
#include "common/channel/questions.h"

namespace hearsay::estimator {

// Scores are defined in aggregator/compiler/question_law.h. Thread-safety: one thread at a time.
class ScoreTable {
 public:
  // `weights` is h, one number for each value. `energy` is hᵀ·M·h. Throws compiler::WorkStopped.
  ScoreTable(const Questions& questions, std::span<const double> weights, double energy, compiler::Work& work);

  double of(std::uint32_t question, std::uint32_t answer) const {
    return table_.empty() ? scores_.of(question, answer) : table_[std::size_t{question} * answers_ + answer];
  }
  // Returns the steps of one call of of().
  std::uint64_t steps() const { return table_.empty() ? steps_ : 1; }
  // least() and most() return a lower and an upper bound on all scores. Unless there are very many questions, some
  // answers reach the bounds.
  double least() const { return least_; }
  double most() const { return most_; }
  // Returns an upper bound on E t(q, q(x))² over the questions q, for every value x. If answers have one bit, the bound
  // is exact.
  double square() const { return square_; }

 private:
  void tabulate(const Questions& questions, bool keep, compiler::Work& work);

  compiler::QuestionScores scores_;
  std::uint32_t answers_;
  std::uint64_t steps_;
  std::vector<double> table_;  // empty if there are too many scores
  double least_ = 0;
  double most_ = 0;
  double square_ = 0;
};

}  // namespace hearsay::estimator
