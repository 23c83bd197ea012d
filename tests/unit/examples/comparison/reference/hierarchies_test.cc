#include "examples/comparison/reference/hierarchies.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace hearsay::examples {
namespace {

LevelValues noise(const LinearMechanism& mechanism, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  LevelValues estimates;
  for (const Level& level : mechanism.levels) {
    for (double& estimate : estimates.emplace_back(level.parts)) estimate = normal(random);
  }
  return estimates;
}

double by_weights(const LevelWeights& answer, const LevelValues& estimates) {
  double sum = answer.offset;
  for (std::size_t l = 0; l < estimates.size(); ++l) {
    for (std::size_t i = 0; i < estimates[l].size(); ++i) sum += answer.weights[l][i] * estimates[l][i];
  }
  return sum;
}

TEST_CASE("answers from cells and from weights are the same, also if the tree has more leaves than cells") {
  std::mt19937_64 random(1);
  for (const std::size_t cells : {2U, 5U, 8U, 13U}) {
    for (const std::size_t fanout : {1U, 2U, 3U, 4U}) {  // 1 stands for HaarHRR
      const auto mechanism = fanout == 1 ? haar_hrr(cells, 1) : hierarchical_histogram(cells, fanout, 1);
      LevelValues estimates = noise(mechanism, random);
      if (fanout == 1) {  // the estimates for the two sides of a node are opposite
        for (std::vector<double>& level : estimates) {
          for (std::size_t i = 0; i < level.size(); i += 2) level[i + 1] = -level[i];
        }
      }
      const std::vector<double> of_cell = mechanism.cells(estimates);
      for (std::size_t first = 0; first < cells; ++first) {
        std::vector<double> range(cells);
        double sum = 0;
        for (std::size_t last = first; last < cells; ++last) {
          range[last] = 1;
          sum += of_cell[last];
          CHECK(by_weights(mechanism.weights(range), estimates) == doctest::Approx(sum).epsilon(1e-9));
        }
      }
    }
  }
}

// The leaves must add up to 1. Under this condition the sum of squared residuals is least where its slope is the same
// in every leaf.
TEST_CASE("constrained inference is the least-squares fit to the estimates of all levels") {
  std::mt19937_64 random(2);
  const auto mechanism = hierarchical_histogram(27, 3, 1);
  const LevelValues estimates = noise(mechanism, random);
  const std::vector<double> leaves = mechanism.cells(estimates);
  std::vector<double> slope(27);
  double total = 0;
  for (const Level& level : mechanism.levels) {
    std::vector<double> residuals = estimates[static_cast<std::size_t>(&level - mechanism.levels.data())];
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) residuals[level.part_of[leaf]] -= leaves[leaf];
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) slope[leaf] += residuals[level.part_of[leaf]];
  }
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    total += leaves[leaf];
    CHECK(slope[leaf] == doctest::Approx(slope[0]).epsilon(1e-9));
  }
  CHECK(total == doctest::Approx(1).epsilon(1e-12));
}

// Returns the variance of HaarHRR for a range, divided by c², from the definition of the transform. A node has two
// sides. Its term is (p - q)²/4, where p and q are the shares of the two sides that lie in the range. Each of the
// `height` levels is drawn with probability 1/height, so the result is `height` times the sum of all terms.
double haar_variance(std::size_t first, std::size_t last, std::size_t height) {
  double squares = 0;
  for (std::size_t h = 0; h < height; ++h) {
    const std::size_t side = std::size_t{1} << h;
    const auto inside = [&](std::size_t start) {
      const std::size_t low = std::max(start, first);
      const std::size_t high = std::min(start + side, last + 1);
      return high > low ? static_cast<double>(high - low) : 0.0;
    };
    const auto add = [&](std::size_t node) {
      const double weight = (inside(2 * node * side) - inside((2 * node + 1) * side)) / (2 * static_cast<double>(side));
      squares += weight * weight;
    };
    add(first / (2 * side));
    if (last / (2 * side) != first / (2 * side)) add(last / (2 * side));
  }
  return static_cast<double>(height) * squares;
}

TEST_CASE("HaarHRR takes 32.7, 57.8 and 90.0 times the limit for all ranges, less than its published bound") {
  struct Case {
    std::size_t height;
    double ratio;
  };
  for (const Case& c : {Case{6, 32.7}, Case{8, 57.8}, Case{10, 90.0}}) {
    const std::size_t cells = std::size_t{1} << c.height;
    double worst = 0;
    std::pair<std::size_t, std::size_t> range;
    for (std::size_t first = 0; first < cells; ++first) {
      for (std::size_t last = first; last < cells; ++last) {
        const double variance = haar_variance(first, last, c.height);
        if (variance > worst) range = {first, last};
        worst = std::max(worst, variance);
      }
    }
    CHECK(std::abs(4 * worst - c.ratio) < 0.06);
    CHECK(4 * worst < 2 * static_cast<double>(c.height * c.height));
    for (const double epsilon : {1.0, 4.0}) {
      std::vector<double> function(cells);
      std::fill(function.begin() + static_cast<std::ptrdiff_t>(range.first),
                function.begin() + static_cast<std::ptrdiff_t>(range.second) + 1, 1);
      const double one_query = (std::exp(epsilon) + 1) / (std::exp(epsilon) - 1);
      CHECK(haar_hrr(cells, epsilon).worst_variance(function) ==
            doctest::Approx(worst * one_query * one_query).epsilon(2e-4));
    }
  }
}

TEST_CASE("a hierarchy of one level is OUE with the sum-to-one correction") {
  const auto tree = hierarchical_histogram(16, 16, 1);
  const auto oracle = sum_to_one(UnaryEncoding::optimised(1), 16);
  for (const std::size_t size : {1U, 7U, 15U}) {
    std::vector<double> function(16);
    std::fill_n(function.begin(), size, 1);
    CHECK(tree.worst_variance(function) == doctest::Approx(oracle.worst_variance(function)).epsilon(2e-4));
  }
}

}  // namespace
}  // namespace hearsay::examples
