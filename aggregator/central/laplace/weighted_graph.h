// Releases two measures of a network in which every edge is one person's secret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aggregator/central/laplace/binary_grid.h"
#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// An undirected edge between two of the vertices 0, 1, ..., with a weight from 0 to 1. The database has a weight for
// every pair of vertices. A pair that is not listed has the weight of an absent edge. The number of listed pairs is
// private.
struct WeightedEdge {
  std::uint32_t first;
  std::uint32_t second;
  double weight;
};

// The number to release about the network.
enum class GraphMeasure {
  // The least total weight of edges whose removal splits the network: how far the network is from being disconnected.
  // An absent edge weighs 0.
  kMinimumCut,
  // The weight of a minimum spanning tree. An absent edge weighs 1.
  kMinimumSpanningTree,
};

// Releases the measure of a network on a public number of vertices. Weights are rounded to multiples of 2^-resolution.
// Changing one weight, or adding or removing one edge, changes either measure by at most 1. So the release is purely
// ε-differentially private *for an edge*, under both kinds of neighbours. The guarantee does not cover the running
// time, which depends on the edges and their weights. Immutable, thread-safe. Dwork, McSherry, Nissim, Smith 2006,
// section 3.2.
class GraphMechanism {
 public:
  // The most vertices for a minimum cut. A limit on the edges would depend on private data; this limit does not.
  static constexpr std::uint32_t kMostCutVertices = 600;

  // 2 <= vertices <= 2^16; 0 <= resolution <= 40. Errors: kInvalidArgument; kLimitExceeded for a minimum cut of more
  // than 600 vertices; kScaleTooLarge.
  static Result<GraphMechanism> create(const Epsilon& epsilon, GraphMeasure measure, std::uint32_t vertices,
                                       int resolution, Neighbours neighbours);

  // Returns the measure in steps of 2^-resolution. Refuses no list: a weight outside [0, 1] counts as the nearer end
  // (NaN as 0), and loops and edges at vertices that do not exist are ignored. If a pair is listed twice, its first
  // weight counts. Cost: V·(E + V·log V) for a cut of V vertices and E edges, E·log E for a tree.
  std::int64_t statistic(std::span<const WeightedEdge> edges) const;

  // Releases the measure with noise, in units of weight. Throws EntropyError.
  double release(std::span<const WeightedEdge> edges, BitSource& bits) const;

  // Returns (m + E/2)·2^-resolution. m is the error_bound of laplace(). E is the number of edges that the measure sums:
  // `edges` for a cut, at most vertices - 1 for a tree. With probability at least 1 - beta the release is off by at
  // most this, and by at most m·2^-resolution if all weights are multiples of 2^-resolution. Errors: kInvalidArgument
  // unless 0 < beta < 1.
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
