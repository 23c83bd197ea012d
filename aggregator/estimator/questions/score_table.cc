#include "aggregator/estimator/questions/score_table.h"

#include <algorithm>

namespace hearsay::estimator {
namespace {

constexpr std::uint64_t kMostKept = std::uint64_t{1} << 18U;      // the most scores in a table
constexpr std::uint64_t kMostLookedAt = std::uint64_t{1} << 20U;  // the most scores to compute for bounds
constexpr std::uint64_t kStepsPerScore = 8;

std::uint64_t steps_of(const Questions& questions) {
  if (std::holds_alternative<CircleQuestions>(questions.spec())) return 1;
  if (std::holds_alternative<HashQuestions>(questions.spec())) return 1 + questions.places() / questions.answers();
  return questions.answers();
}

}  // namespace

ScoreTable::ScoreTable(const Questions& questions, std::span<const double> weights, double energy, compiler::Work& work)
    : scores_(questions, weights), answers_(questions.answers()), steps_(kStepsPerScore * steps_of(questions)) {
  const std::uint64_t scores = std::uint64_t{questions.count()} * answers_;
  if (scores <= kMostLookedAt) {
    tabulate(questions, scores <= kMostKept, work);
    return;
  }
  // t(q, k) = K·(Σ of the weights of the values with answer k) - Σ of all weights.
  const double answers = answers_;
  double positive = 0;
  double negative = 0;
  for (const double weight : weights) (weight > 0 ? positive : negative) += weight;
  most_ = answers * positive - (positive + negative);
  least_ = answers * negative - (positive + negative);
  // If there are two answers, both scores have the same square.
  square_ = answers_ == 2 ? energy : std::max(most_ * most_, least_ * least_);
}

void ScoreTable::tabulate(const Questions& questions, bool keep, compiler::Work& work) {
  const std::size_t answers = answers_;
  if (keep) {
    work.hold(sizeof(double) * (std::uint64_t{questions.count()} * answers), "ask a simpler query");
    table_.reserve(std::size_t{questions.count()} * answers);
  }
  std::vector<double> of_question(answers);
  const auto total = static_cast<double>(questions.total_weight());
  for (const Questions::Member& member : questions.members()) {
    double squares = 0;
    for (std::uint32_t i = 0; i < member.count; ++i) {
      work.spend(kStepsPerScore * answers);
      scores_.of_question(member.first + i, of_question);
      const auto [low, high] = std::ranges::minmax(of_question);
      least_ = std::min(least_, low);
      most_ = std::max(most_, high);
      squares += std::max(low * low, high * high);
      if (keep) table_.insert(table_.end(), of_question.begin(), of_question.end());
    }
    square_ += squares * static_cast<double>(member.weight) / (total * static_cast<double>(member.count));
  }
}

}  // namespace hearsay::estimator
