#include "aggregator/compiler/step_law.h"

#include <numeric>
#include <variant>

namespace hearsay::compiler {

bool StepLaw::is_of(const Questions& questions) {
  const auto* circle = std::get_if<CircleQuestions>(&questions.spec());
  return circle != nullptr && questions.width() == 1 && circle->multipliers == std::vector<std::uint32_t>{1} &&
         circle->places % 2 == 0 && circle->places / 2 >= questions.values() - 1;
}

StepLaw::StepLaw(const Questions& questions) : cuts_(std::get<CircleQuestions>(questions.spec()).places / 2.0) {}

// Computes (M·h)(0) first, where M is the matrix of the questions on N places. From each value to the next, M·h grows
// by 4/N·(Σ of h above the cut - Σ of h below the cut).
std::vector<double> StepLaw::apply(std::span<const double> h) const {
  double above = std::accumulate(h.begin(), h.end(), 0.0);
  double below = 0;
  double value = 0;
  for (std::size_t x = 0; x < h.size(); ++x) value += h[x] * (1 - 2 * static_cast<double>(x) / cuts_);
  std::vector<double> result{value};
  for (std::size_t x = 1; x < h.size(); ++x) {
    above -= h[x - 1];
    below += h[x - 1];
    value += 2 * (above - below) / cuts_;
    result.push_back(value);
  }
  return result;
}

// As Σh = 0, the score at a cut is twice the sum of h above the cut.
QuestionLaw::Solution StepLaw::solve(std::span<const double> g) const {
  QuestionLaw::Solution solution{(g.front() + g.back()) / 2, std::vector<double>(g.size(), 0.0), 0};
  for (std::size_t x = 1; x < g.size(); ++x) {
    const double step = g[x] - g[x - 1];
    const double above = cuts_ / 4 * step;
    solution.weights[x - 1] -= above;
    solution.weights[x] += above;
    solution.energy += above * step;
  }
  return solution;
}

}  // namespace hearsay::compiler
