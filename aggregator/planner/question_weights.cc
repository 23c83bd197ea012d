// Symbols: V_q = variance of product q, λ_q = its weight in the Lagrangian, F = Σ λ_q·V_q. A *block* is a set of
// weights that sum to 1: those of one class, or those of the orbits.

#include "aggregator/planner/question_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hearsay::planner {
namespace {

constexpr double kCloseEnough = 4e-3;
constexpr int kMostSteps = 4000;
constexpr double kMostSearchWork = 3e9;  // additions and multiplications
// In every step whose number is a multiple of kWholeEvery, all products count. All other steps leave out products with
// a negligible λ whose variance is well below the largest.
constexpr int kWholeEvery = 8;

class Search {
 public:
  explicit Search(QuestionProblem problem) : problem_(std::move(problem)) {
    const auto orbits = static_cast<Eigen::Index>(problem_.orbit_sizes.size());
    sizes_ = Eigen::Map<const Eigen::VectorXd>(problem_.orbit_sizes.data(), orbits);
    weights_.orbits = Eigen::VectorXd::Constant(orbits, 1.0 / static_cast<double>(orbits));
    double products = 0;
    for (const QuestionCosts& costs : problem_.costs) {
      Eigen::VectorXd start(static_cast<Eigen::Index>(costs.multipliers()));
      for (Eigen::Index j = 0; j < start.size(); ++j) start[j] = 1 / static_cast<double>(j + 1);
      if (start.size() > 0) start /= start.sum();
      weights_.multipliers.push_back(std::move(start));
      of_costs_ += costs.work();
    }
    for (const QuestionProblem::Products& some : problem_.products) {
      products += static_cast<double>(some.functions.size() / some.classes.size());
    }
    lambda_ = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(products), 1 / products);
    variances_ = lambda_;
    has_say_.assign(static_cast<std::size_t>(products), true);
  }

  QuestionWeights run() {
    QuestionWeights best = weights_;
    best.worst = std::numeric_limits<double>::infinity();
    best.lower_bound = 0;
    double work = 0;
    for (int step = 0; step < kMostSteps && work < kMostSearchWork; ++step) {
      const bool whole = step % kWholeEvery == 0;
      if (whole) has_say_.assign(has_say_.size(), true);
      work += evaluate();
      const double worst = variances_.maxCoeff();
      const double bound = improve();
      if (whole && worst < best.worst) {
        const double lower = best.lower_bound;
        best = previous_;
        best.worst = worst;
        best.lower_bound = lower;
      }
      best.lower_bound = std::max(best.lower_bound, bound);
      if (best.worst <= best.lower_bound * (1 + kCloseEnough)) break;
      raise_prices(worst, 2 / (1 + 0.02 * step));
      if (whole) choose_those_with_say(worst);
    }
    return best;
  }

 private:
  // Products that are left out do not count in the Lagrangian F, as if their weight λ were 0. The lower bound stays
  // valid, since each λ gives a lower bound.
  void raise_prices(double worst, double power) {
    for (Eigen::Index q = 0; q < lambda_.size(); ++q) {
      if (has_say_[static_cast<std::size_t>(q)]) lambda_[q] *= std::pow(variances_[q] / worst, power);
    }
    lambda_ /= lambda_.sum();
  }

  void choose_those_with_say(double worst) {
    constexpr double kDear = 0.97;
    const double least = 1e-4 / static_cast<double>(lambda_.size());
    for (Eigen::Index q = 0; q < lambda_.size(); ++q) {
      has_say_[static_cast<std::size_t>(q)] = lambda_[q] > least || variances_[q] > kDear * worst;
    }
  }

  // Computes the variances of the products that are not left out, and the derivatives of F. factors_ are the
  // derivatives by the energies of functions. pull_ are the derivatives by the logarithms of the orbits' weights, with
  // their signs changed. Returns the work.
  double evaluate() {
    factors_.clear();
    for (std::size_t c = 0; c < problem_.costs.size(); ++c) {
      problem_.costs[c].set_weights(weights_.multipliers[c]);
      factors_.push_back(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(problem_.costs[c].functions())));
    }
    pull_ = Eigen::VectorXd::Zero(sizes_.size());
    double work = of_costs_;
    Eigen::Index number = 0;
    for (const QuestionProblem::Products& some : problem_.products) {
      const std::size_t parts = some.classes.size();
      const double of_product = std::exp2(parts) * static_cast<double>(parts * parts);
      for (std::size_t at = 0; at < some.functions.size(); at += parts, ++number) {
        const bool has_say = has_say_[static_cast<std::size_t>(number)];
        variances_[number] = has_say ? add_product(some, at, lambda_[number]) : 0;
        work += has_say ? of_product : 0;
      }
    }
    return work;
  }

  double add_product(const QuestionProblem::Products& some, std::size_t at, double lambda) {
    const std::size_t parts = some.classes.size();
    double variance = 0;
    for (std::size_t set = 1; set < std::size_t{1} << parts; ++set) {
      const auto orbit = static_cast<Eigen::Index>(some.orbits[set - 1]);
      double energy = some.weight * sizes_[orbit] / weights_.orbits[orbit];
      for (std::size_t i = 0; i < parts; ++i) {
        const QuestionCosts& costs = problem_.costs[some.classes[i]];
        const std::size_t function = some.functions[at + i];
        energy *= (set >> i & 1U) != 0 ? costs.energy(function) : costs.mean(function) * costs.mean(function);
      }
      if (energy <= 0) continue;
      variance += energy;
      pull_[orbit] += lambda * energy;
      for (std::size_t i = 0; i < parts; ++i) {
        if ((set >> i & 1U) == 0) continue;
        const std::size_t function = some.functions[at + i];
        factors_[some.classes[i]][static_cast<Eigen::Index>(function)] +=
            lambda * energy / problem_.costs[some.classes[i]].energy(function);
      }
    }
    return variance;
  }

  // Makes each weight w_j of a block proportional to w_j·√(-∂F/∂w_j) (symbols: top of file). Returns the lower bound.
  // As log F is convex, its minimum is at least log F + Σ_blocks (Σ_j w_j·g_j - max_j g_j)/F, with g = -∂F/∂w.
  double improve() {
    previous_ = weights_;
    const double value = lambda_.dot(variances_);
    double lower = std::log(value);
    const auto improve_block = [&](const Eigen::VectorXd& gradient, Eigen::VectorXd& weights) {
      lower += (weights.dot(gradient) - gradient.maxCoeff()) / value;
      weights.array() *= gradient.array().sqrt();
      weights /= weights.sum();
    };
    improve_block(pull_.cwiseQuotient(weights_.orbits), weights_.orbits);
    for (std::size_t c = 0; c < problem_.costs.size(); ++c) {
      if (problem_.costs[c].multipliers() < 2 || factors_[c].size() == 0 || factors_[c].maxCoeff() <= 0) continue;
      improve_block(problem_.costs[c].gradient(factors_[c]), weights_.multipliers[c]);
    }
    // No weight becomes so small that rounding would lose its information.
    constexpr double kLeast = 1e-12;
    for (Eigen::VectorXd& weights : weights_.multipliers) weights = weights.cwiseMax(kLeast);
    weights_.orbits = weights_.orbits.cwiseMax(kLeast);
    return std::exp(lower);
  }

  QuestionProblem problem_;
  Eigen::VectorXd sizes_;
  double of_costs_ = 0;  // the work of a step without the products
  QuestionWeights weights_{};
  QuestionWeights previous_{};  // the weights for which variances_ holds
  Eigen::VectorXd lambda_;
  Eigen::VectorXd variances_;  // 0 for products that are left out
  std::vector<bool> has_say_;
  std::vector<Eigen::VectorXd> factors_;
  Eigen::VectorXd pull_;
};

}  // namespace

QuestionWeights best_question_weights(QuestionProblem problem) { return Search(std::move(problem)).run(); }

}  // namespace hearsay::planner
