#include "aggregator/compiler/question_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "aggregator/compiler/spectrum.h"
#include "aggregator/compiler/step_law.h"

namespace hearsay::compiler {
namespace {

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double take_mean(std::span<double> v) {
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  for (double& x : v) x -= mean;
  return mean;
}

double largest(std::span<const double> v) {
  double result = 0;
  for (const double x : v) result = std::max(result, std::abs(x));
  return result;
}

constexpr Cost kUnlimited{UINT64_MAX, UINT64_MAX};

}  // namespace

struct QuestionLaw::State {
  State(const Questions& questions, Work& work) : values(questions.values()) {
    if (StepLaw::is_of(questions)) {
      steps.emplace(questions);
    } else {
      spectrum.emplace(questions, work);
    }
  }

  // Multiplies by the rows and columns of the matrix M (question_law.h) that belong to values, not to places without a
  // value. divide() does the same with the pseudo-inverse of M.
  std::vector<double> multiply(std::span<const double> h) const {
    std::vector<double> v = padded(h);
    spectrum->multiply(v);
    v.resize(values);
    return v;
  }
  std::vector<double> divide(std::span<const double> h) const {
    std::vector<double> v = padded(h);
    spectrum->divide(v);
    v.resize(values);
    return v;
  }
  std::vector<double> padded(std::span<const double> h) const {
    std::vector<double> v(spectrum->size(), 0);
    std::copy(h.begin(), h.end(), v.begin());
    return v;
  }

  std::size_t values;
  // Either `steps` or `spectrum` is set.
  std::optional<StepLaw> steps;
  std::optional<Spectrum> spectrum;
};

QuestionLaw::QuestionLaw(const Questions& questions) {
  Work work({}, kUnlimited);
  state_ = std::make_shared<const State>(questions, work);
}

QuestionLaw::QuestionLaw(const Questions& questions, Work& work)
    : state_(std::make_shared<const State>(questions, work)) {}

std::vector<double> QuestionLaw::apply(std::span<const double> h) const {
  return state_->steps ? state_->steps->apply(h) : state_->multiply(h);
}

Result<QuestionLaw::Solution> QuestionLaw::solve(std::span<const double> g) const {
  Work work({}, kUnlimited);
  return solve(g, work);
}

// Of all solutions of g = μ + M·h, the solution with Σh = 0 has the least energy hᵀ·M·h. Conjugate gradients find h.
// The preconditioner is the part of the pseudo-inverse of M that belongs to the values. M and the preconditioner are
// positive semidefinite on the functions with Σh = 0, and have the same kernel. If no h gives g exactly, the rest of g
// - μ stays in the residual.
Result<QuestionLaw::Solution> QuestionLaw::solve(std::span<const double> g, Work& work) const {
  if (state_->steps) {
    work.spend(g.size());
    return state_->steps->solve(g);
  }
  constexpr double kConverged = 1e-28;  // a limit on the squared norm of the residual
  // A second limit on the squared norm of the residual. If a residual below this limit hardly falls in a step, only
  // rounding is left.
  constexpr double kNearly = 1e-25;
  // The largest residual with which h counts as a solution, relative to g.
  constexpr double kSeen = 1e-9;
  const std::size_t most_steps = std::min<std::size_t>(4 * state_->values + 100, 1U << 14U);
  std::vector<double> residual(g.begin(), g.end());
  Solution solution{take_mean(residual), std::vector<double>(g.size(), 0), 0};
  const double size = largest(residual);
  if (size == 0) return solution;
  std::vector<double> direction(g.size(), 0);
  double before = 0;
  double first = 0;
  for (std::size_t step = 0; step < most_steps; ++step) {
    work.spend(2 * state_->spectrum->steps());
    std::vector<double> improved = state_->divide(residual);
    take_mean(improved);
    const double norm = product(residual, improved);
    if (step == 0) first = norm;
    if (!(norm > kConverged * first) || (norm < kNearly * first && norm > before / 2)) break;
    const double keep = step == 0 ? 0 : norm / before;
    before = norm;
    for (std::size_t x = 0; x < direction.size(); ++x) direction[x] = improved[x] + keep * direction[x];
    std::vector<double> change = state_->multiply(direction);
    take_mean(change);
    const double curvature = product(direction, change);
    if (!(curvature > 0)) break;  // rounding alone is left
    const double length = norm / curvature;
    for (std::size_t x = 0; x < direction.size(); ++x) {
      solution.weights[x] += length * direction[x];
      residual[x] -= length * change[x];
    }
  }
  take_mean(solution.weights);
  const std::vector<double> seen = state_->multiply(solution.weights);
  for (std::size_t x = 0; x < g.size(); ++x) residual[x] = g[x] - seen[x];
  solution.mean = take_mean(residual);
  solution.energy = std::max(0.0, product(solution.weights, seen));
  // If some questions are rarely asked, the weights and their rounding are large. The standard error of one report is
  // about the square root of the energy. So the limit grows with this root.
  if (largest(residual) > kSeen * std::max(size, std::sqrt(solution.energy))) {
    return Error{ErrorCode::kQueryNotCovered, "the questions do not tell some of the values apart"};
  }
  return solution;
}

}  // namespace hearsay::compiler
