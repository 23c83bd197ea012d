#include "aggregator/planner/saddle_point.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace hearsay::planner {
namespace {

struct Problem {
  SetInformation information;
  std::vector<SetEnergy> energies;
};

// Returns a problem with energies of several orders of magnitude, and with queries that are nearly equal.
Problem random_problem(std::uint32_t seed, std::size_t classes, std::size_t sets, std::size_t queries) {
  std::mt19937 random(seed);
  const auto unit = [&] { return static_cast<double>(random()) / 0x1p32; };
  Problem problem;
  for (std::size_t k = 0; k < classes; ++k) {
    std::vector<double>& row = problem.information.emplace_back();
    for (std::size_t t = 0; t < sets; ++t) row.push_back(t == k % sets || unit() < 0.3 ? unit() : 0);
  }
  for (std::size_t q = 0; q < queries; ++q) {
    SetEnergy& energy = problem.energies.emplace_back();
    for (std::size_t t = 0; t < sets; ++t) {
      if (unit() < 0.5) energy.emplace_back(t, std::exp(-8 * unit()));
    }
    if (energy.empty()) energy.emplace_back(q % sets, 1);
  }
  for (std::size_t q = 0; q < queries / 2; ++q) {
    SetEnergy alike = problem.energies[q];
    for (auto& [t, energy] : alike) energy *= 1 + 1e-3 * (unit() - 0.5);
    problem.energies.push_back(alike);
  }
  return problem;
}

double worst_of(const Problem& problem, const std::vector<double>& weights) {
  double worst = 0;
  for (const SetEnergy& query : problem.energies) {
    double variance = 0;
    for (const auto& [t, energy] : query) {
      double information = 0;
      for (std::size_t k = 0; k < weights.size(); ++k) information += weights[k] * problem.information[k][t];
      variance += energy / information;
    }
    worst = std::max(worst, variance);
  }
  return worst;
}

TEST_CASE("no weights are better than the found weights by more than 0.2 percent") {
  std::mt19937 random(1);
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const Problem problem = random_problem(seed, 20 + seed, 12, 30);
    const SaddlePoint point = saddle_point(problem.information, problem.energies);
    REQUIRE(point.weights.size() == 20 + seed);
    double sum = 0;
    for (const double weight : point.weights) sum += weight;
    CHECK(sum == doctest::Approx(1));
    CHECK(point.worst == doctest::Approx(worst_of(problem, point.weights)));
    CHECK(point.worst <= 1.0021 * point.lower_bound);
    for (int other = 0; other < 200; ++other) {
      std::vector<double> weights = point.weights;
      double total = 0;
      for (double& weight : weights) total += weight *= std::exp(static_cast<double>(random()) / 0x1p32 - 0.5);
      for (double& weight : weights) weight /= total;
      REQUIRE(worst_of(problem, weights) >= point.lower_bound * (1 - 1e-9));
    }
  }
}

TEST_CASE("two sets that are asked separately have the weights of the closed form") {
  // The minimum of e_1/w + e_2/(1-w) over w is (√e_1 + √e_2)².
  const SaddlePoint point = saddle_point({{1, 0}, {0, 1}}, {{{0, 1}, {1, 9}}, {{0, 0.5}}});
  CHECK(point.worst == doctest::Approx(16).epsilon(2e-3));
  CHECK(point.lower_bound <= 16 * (1 + 1e-12));
  CHECK(point.weights[0] == doctest::Approx(0.25).epsilon(0.05));
}

}  // namespace
}  // namespace hearsay::planner
