#include "aggregator/planner/question_costs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "aggregator/compiler/question_law.h"
#include "common/channel/questions.h"

namespace hearsay::planner {
namespace {

std::vector<double> indicator(std::uint32_t values, std::uint32_t first, std::uint32_t last) {
  std::vector<double> function(values, 0.0);
  std::fill(function.begin() + first, function.begin() + last + 1, 1.0);
  return function;
}

TEST_CASE("the stated costs are the costs of the questions that the planner makes") {
  std::mt19937 engine(3);
  const auto next = [&] { return static_cast<double>(engine()) / 0x1p32; };
  for (const QuestionFamily family :
       {QuestionFamily::kParities, QuestionFamily::kRanges, QuestionFamily::kPrefixes, QuestionFamily::kThresholds}) {
    for (const std::uint32_t values : {3U, 7U, 8U, 12U}) {
      QuestionCosts costs(family, values);
      std::vector<std::vector<double>> functions{indicator(values, 1, 1), indicator(values, 0, values - 1)};
      functions.emplace_back();
      for (std::uint32_t v = 0; v < values; ++v) functions.back().push_back(next());
      for (const std::vector<double>& function : functions) costs.add(function);
      Eigen::VectorXd weights(static_cast<Eigen::Index>(costs.multipliers()));
      for (double& weight : weights) weight = 0.1 + next();
      weights /= weights.sum();
      costs.set_weights(weights);
      const compiler::QuestionLaw law(Questions::create(costs.spec(weights), values).value());
      for (std::size_t f = 0; f < functions.size(); ++f) {
        const auto solution = law.solve(functions[f]).value();
        CHECK(costs.energy(f) == doctest::Approx(solution.energy).epsilon(1e-5));
        CHECK(costs.mean(f) == doctest::Approx(solution.mean).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("for circles of many places the stated energies are at most 2 % too large") {
  QuestionCosts costs(QuestionFamily::kRanges, 2049);
  const std::vector<double> function = indicator(2049, 100, 900);
  costs.add(function);
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(costs.multipliers()));
  for (Eigen::Index j = 0; j < weights.size(); ++j) weights[j] = 1.0 / static_cast<double>(j + 1);
  weights /= weights.sum();
  costs.set_weights(weights);
  const auto exact =
      compiler::QuestionLaw(Questions::create(costs.spec(weights), 2049).value()).solve(function).value();
  CHECK(costs.energy(0) > exact.energy * 0.995);  // some multipliers are left out
  CHECK(costs.energy(0) < exact.energy * 1.02);
}

}  // namespace
}  // namespace hearsay::planner
