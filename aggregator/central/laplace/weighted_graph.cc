#include "aggregator/central/laplace/weighted_graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <boost/graph/stoer_wagner_min_cut.hpp>
#include <iterator>
#include <utility>
#include <vector>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr std::uint32_t kMostVertices = std::uint32_t{1} << 16U;
constexpr int kFinestResolution = 40;

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_weight_t, std::int64_t>>;

// Returns the graph of the listed edges. Leaves out loops, and edges at vertices that do not exist.
Graph rounded(std::span<const WeightedEdge> edges, std::uint32_t vertices, const BinaryGrid& grid) {
  struct Listed {
    std::pair<std::uint32_t, std::uint32_t> pair;
    std::int64_t steps;
  };
  std::vector<Listed> listed;
  listed.reserve(edges.size());
  const std::int64_t largest = grid.nearest(1);
  for (const auto& [first, second, weight] : edges) {
    if (first >= vertices || second >= vertices || first == second) continue;
    listed.push_back({std::minmax(first, second), std::clamp<std::int64_t>(grid.nearest(weight), 0, largest)});
  }
  const auto before = [](const Listed& a, const Listed& b) { return a.pair < b.pair; };
  const auto same = [](const Listed& a, const Listed& b) { return a.pair == b.pair; };
  // The sort is stable, so the first of two listed weights for a pair stays first.
  std::stable_sort(listed.begin(), listed.end(), before);
  listed.erase(std::unique(listed.begin(), listed.end(), same), listed.end());
  Graph graph(vertices);
  for (const Listed& edge : listed) boost::add_edge(edge.pair.first, edge.pair.second, edge.steps, graph);
  return graph;
}

std::uint32_t components(const Graph& graph) {
  std::vector<std::uint32_t> component(boost::num_vertices(graph));
  return static_cast<std::uint32_t>(boost::connected_components(graph, component.data()));
}

// Boost needs a connected graph. Absent edges weigh nothing, so a graph that is not connected has a cut of weight 0.
std::int64_t minimum_cut(const Graph& graph) {
  if (components(graph) > 1) return 0;
  return boost::stoer_wagner_min_cut(graph, boost::get(boost::edge_weight, graph));
}

// No listed edge weighs more than an absent one. So a minimum spanning forest of the listed edges becomes a minimum
// spanning tree if absent edges join its components.
std::int64_t minimum_spanning_tree(const Graph& graph, std::int64_t absent) {
  std::vector<boost::graph_traits<Graph>::edge_descriptor> forest;
  boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(forest));
  std::int64_t weight = 0;
  for (const auto& edge : forest) weight += boost::get(boost::edge_weight, graph, edge);
  const auto joined = static_cast<std::int64_t>(boost::num_vertices(graph) - 1 - forest.size());
  return weight + joined * absent;
}

}  // namespace

Result<GraphMechanism> GraphMechanism::create(const Epsilon& epsilon, GraphMeasure measure, std::uint32_t vertices,
                                              int resolution, Neighbours neighbours) {
  if (vertices < 2 || vertices > kMostVertices) {
    return Error{ErrorCode::kInvalidArgument, "a network must have 2 to 2^16 vertices"};
  }
  if (measure == GraphMeasure::kMinimumCut && vertices > kMostCutVertices) {
    return Error{ErrorCode::kLimitExceeded, "a minimum cut is computed only for networks of at most 600 vertices"};
  }
  if (resolution < 0 || resolution > kFinestResolution) {
    return Error{ErrorCode::kInvalidArgument, "the resolution must be from 0 to 40 binary digits"};
  }
  HEARSAY_TRY(const BinaryGrid grid, BinaryGrid::create(-resolution));
  const Rational sensitivity = whole(std::uint64_t{1} << static_cast<unsigned>(resolution));
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, sensitivity, neighbours));
  return GraphMechanism(laplace, measure, vertices, grid);
}

std::int64_t GraphMechanism::statistic(std::span<const WeightedEdge> edges) const {
  const Graph graph = rounded(edges, vertices_, grid_);
  if (measure_ == GraphMeasure::kMinimumCut) return minimum_cut(graph);
  return minimum_spanning_tree(graph, std::int64_t{1} << static_cast<unsigned>(-grid_.log2_step()));
}

double GraphMechanism::release(std::span<const WeightedEdge> edges, BitSource& bits) const {
  return grid_.value(laplace_.release(statistic(edges), bits));
}

Result<double> GraphMechanism::error_bound(std::uint64_t edges, double beta) const {
  HEARSAY_TRY(const std::uint64_t bound, laplace_.error_bound(1, beta));
  const bool tree = measure_ == GraphMeasure::kMinimumSpanningTree;
  const std::uint64_t summed = tree ? std::min<std::uint64_t>(edges, vertices_ - 1) : edges;
  return (static_cast<double>(bound) + static_cast<double>(summed) / 2) * grid_.step();
}

}  // namespace hearsay::central
