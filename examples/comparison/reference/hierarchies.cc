#include "examples/comparison/reference/hierarchies.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hearsay::examples {
namespace {

// A complete tree over the cells. A node is known by its height and its place from the left; leaves have height 0.
struct Tree {
  std::size_t fanout;
  std::size_t height = 0;
  std::vector<std::size_t> nodes{1};  // number of nodes at each height; the root's height is the last

  Tree(std::size_t cells, std::size_t children) : fanout(children) {
    for (; nodes.front() < cells; ++height) nodes.insert(nodes.begin(), nodes.front() * fanout);
  }

  // The levels are the heights below the root, the leaves first.
  template <class OracleOf>
  std::vector<Level> levels(std::size_t cells, OracleOf&& oracle_of) const {
    std::vector<Level> list;
    for (std::size_t h = 0, leaves = 1; h < height; ++h, leaves *= fanout) {
      Level level{oracle_of(h), nodes[h], {}};
      for (std::size_t cell = 0; cell < cells; ++cell) {
        level.part_of.push_back(static_cast<std::uint32_t>(cell / leaves));
      }
      list.push_back(std::move(level));
    }
    return list;
  }

  // Takes a value for each node of a height. Returns, for each node one height above, the sum over its children.
  std::vector<double> sums(const std::vector<double>& children) const {
    std::vector<double> parents(children.size() / fanout);
    for (std::size_t i = 0; i < children.size(); ++i) parents[i / fanout] += children[i];
    return parents;
  }

  // Returns the function's mean over the leaves of each node, for each height up to the root.
  LevelValues means(std::span<const double> function) const {
    LevelValues means{{function.begin(), function.end()}};
    means.front().resize(nodes.front(), 0.0);
    for (std::size_t h = 0; h < height; ++h) {
      means.push_back(sums(means[h]));
      for (double& mean : means.back()) mean /= static_cast<double>(fanout);
    }
    return means;
  }
};

double power(std::size_t base, std::size_t exponent) {
  return std::pow(static_cast<double>(base), static_cast<double>(exponent));
}

// The two passes of Hay et al., with B children a node. From the leaves up, a node's estimate becomes a weighted
// average of its own estimate and the sum of the children's estimates. At height h, the own estimate has the weight
// B^h·(B-1)/(B^{h+1}-1). So the two weights are proportional to the inverse variances. From the root down, the second
// pass spreads the difference between a node and the sum of its children evenly over the children.
std::vector<double> consistent_leaves(const Tree& tree, LevelValues estimates) {
  for (std::size_t h = 1; h < tree.height; ++h) {
    const double own = power(tree.fanout, h) * (static_cast<double>(tree.fanout) - 1) / (power(tree.fanout, h + 1) - 1);
    const std::vector<double> children = tree.sums(estimates[h - 1]);
    for (std::size_t i = 0; i < children.size(); ++i) {
      estimates[h][i] = own * estimates[h][i] + (1 - own) * children[i];
    }
  }
  std::vector<double> parents{1};
  for (std::size_t h = tree.height; h-- > 0; parents = estimates[h]) {
    const std::vector<double> sums = tree.sums(estimates[h]);
    for (std::size_t i = 0; i < estimates[h].size(); ++i) {
      const std::size_t parent = i / tree.fanout;
      estimates[h][i] += (parents[parent] - sums[parent]) / static_cast<double>(tree.fanout);
    }
  }
  return parents;
}

// Returns the weights of the least-squares fit of all levels, with B children a node. Consider a part of the function
// that is constant within each child of a node of height h, and adds up to 0 over the children. All h levels below the
// node measure this part, and count it B^0 + … + B^{h-1} = (B^h-1)/(B-1) times together.
LevelWeights least_squares_weights(const Tree& tree, std::span<const double> function) {
  const LevelValues means = tree.means(function);
  LevelWeights answer{means.back().front(), LevelValues(tree.height)};
  // For each node of height h + 1: the sum of the terms below over the node and its ancestors.
  std::vector<double> above{0};
  for (std::size_t h = tree.height; h-- > 0;) {
    const double seen = (power(tree.fanout, h + 1) - 1) / (static_cast<double>(tree.fanout) - 1);
    std::vector<double> here(tree.nodes[h]);
    for (std::size_t i = 0; i < here.size(); ++i) {
      here[i] = above[i / tree.fanout] + (means[h][i] - means[h + 1][i / tree.fanout]) / seen;
    }
    answer.weights[h] = here;
    for (double& weight : answer.weights[h]) weight *= power(tree.fanout, h);
    above = std::move(here);
  }
  return answer;
}

// Computes from the root down: a child's estimate is half of its parent's estimate, plus or minus half of the
// difference between the parent's two sides.
std::vector<double> haar_leaves(const Tree& tree, const LevelValues& estimates) {
  std::vector<double> parents{1};
  for (std::size_t h = tree.height; h-- > 0;) {
    std::vector<double> children = estimates[h];
    for (std::size_t i = 0; i < children.size(); ++i) children[i] += parents[i / 2] / 2;
    parents = std::move(children);
  }
  return parents;
}

LevelWeights haar_weights(const Tree& tree, std::span<const double> function) {
  const LevelValues means = tree.means(function);
  LevelWeights answer{means.back().front(), LevelValues(tree.height)};
  for (std::size_t h = 0; h < tree.height; ++h) {
    answer.weights[h] = means[h];
    for (std::size_t i = 0; i < means[h].size(); ++i) answer.weights[h][i] -= means[h + 1][i / 2];
  }
  return answer;
}

}  // namespace

LinearMechanism hierarchical_histogram(std::size_t cells, std::size_t fanout, double epsilon) {
  const Tree tree(cells, fanout);
  return {tree.levels(cells, [epsilon](std::size_t) { return UnaryEncoding::optimised(epsilon); }),
          [tree](const LevelValues& estimates) { return consistent_leaves(tree, estimates); },
          [tree](std::span<const double> function) { return least_squares_weights(tree, function); }};
}

LinearMechanism haar_hrr(std::size_t cells, double epsilon) {
  const Tree tree(cells, 2);
  return {tree.levels(cells, [epsilon](std::size_t) { return SignedHadamard(epsilon); }),
          [tree](const LevelValues& estimates) { return haar_leaves(tree, estimates); },
          [tree](std::span<const double> function) { return haar_weights(tree, function); }};
}

}  // namespace hearsay::examples
