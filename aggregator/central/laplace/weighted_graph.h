// Two measures of a network whose every edge is one person's secret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// An undirected edge between two of the vertices 0, 1, ..., of weight 0 to 1. The database holds a weight for every
// pair of vertices; pairs that are not listed have the weight of an absent edge.
struct WeightedEdge {
  std::uint32_t first;
  std::uint32_t second;
  double weight;
};

// What is measured of the network.
enum class GraphMeasure {
  // The least total weight of edges whose removal separates the network: its distance from a disconnected one. An
  // absent edge weighs 0. By Stoer and Wagner's algorithm.
  kMinimumCut,
  // The weight of a minimum spanning tree. An absent edge weighs 1. By Kruskal's algorithm.
  kMinimumSpanningTree,
};

// Releases the measure of a network on a public number of vertices. Weights are rounded to multiples of 2^-resolution;
// changing one of them, or adding or removing one edge, changes either measure by at most 1: pure ε-differential
// privacy *of an edge*, under both relations. Immutable, thread-safe. Dwork, McSherry, Nissim, Smith 2006, section 3.2.
class GraphMechanism {
 public:
  // 2 <= vertices <= 2^16; 0 <= resolution <= 40. Errors: kInvalidArgument; kScaleTooLarge.
  static Result<GraphMechanism> create(const Epsilon& epsilon, GraphMeasure measure, std::uint32_t vertices,
                                       int resolution, Neighbours neighbours);

  // The measure in steps of 2^-resolution. Errors: kInvalidArgument for a weight outside [0, 1] (NaN too), a vertex
  // that does not exist, a loop, or a pair listed twice; kLimitExceeded over 2^22 edges, or for a minimum cut with
  // V·(E + V·log V) above 2^27. These depend on the data: for the curator alone. Cost: for a cut proportional
  // to that number; for a tree to E·log E.
  Result<std::int64_t> statistic(std::span<const WeightedEdge> edges) const;

  // One release, in units of weight. Errors: those of statistic. Throws EntropyError.
  Result<double> release(std::span<const WeightedEdge> edges, BitSource& bits) const;

  // With probability at least 1 - beta the release is off by at most this: (m + E/2)·2^-resolution, m the error_bound
  // of laplace() and E the number of edges that the measure sums, at most `edges` or vertices - 1 (tree). Only
  // m·2^-resolution if all weights are multiples of 2^-resolution. Errors: kInvalidArgument unless 0 < beta < 1.
  Result<double> error_bound(std::uint64_t edges, double beta) const;

  const LaplaceMechanism& laplace() const { return laplace_; }

 private:
  GraphMechanism(const LaplaceMechanism& laplace, GraphMeasure measure, std::uint32_t vertices, const BinaryGrid& grid)
      : laplace_(laplace), measure_(measure), vertices_(vertices), grid_(grid) {}

  LaplaceMechanism laplace_;
  GraphMeasure measure_;
  std::uint32_t vertices_;
  BinaryGrid grid_;
};

}  // namespace hearsay::central
