#include "aggregator/central/laplace/weighted_graph.h"

#include <algorithm>
#include <bit>
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
constexpr std::size_t kMostEdges = std::size_t{1} << 22U;
constexpr std::uint64_t kLargestCost = std::uint64_t{1} << 27U;

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_weight_t, std::int64_t>>;

Result<Graph> rounded(std::span<const WeightedEdge> edges, std::uint32_t vertices, const BinaryGrid& grid) {
  if (edges.size() > kMostEdges) return Error{ErrorCode::kLimitExceeded, "more than 2^22 edges"};
  Graph graph(vertices);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(edges.size());
  for (const auto& [first, second, weight] : edges) {
    if (!(weight >= 0 && weight <= 1)) return Error{ErrorCode::kInvalidArgument, "an edge's weight is outside [0, 1]"};
    if (first >= vertices || second >= vertices || first == second) {
      return Error{ErrorCode::kInvalidArgument, "an edge must join two different vertices of the network"};
    }
    HEARSAY_TRY(const std::int64_t steps, grid.nearest(weight));
    boost::add_edge(first, second, steps, graph);
    pairs.emplace_back(std::minmax(first, second));
  }
  std::sort(pairs.begin(), pairs.end());
  if (std::adjacent_find(pairs.begin(), pairs.end()) != pairs.end()) {
    return Error{ErrorCode::kInvalidArgument, "a pair of vertices is listed twice"};
  }
  return graph;
}

std::uint32_t components(const Graph& graph) {
  std::vector<std::uint32_t> component(boost::num_vertices(graph));
  return static_cast<std::uint32_t>(boost::connected_components(graph, component.data()));
}

// Boost wants a connected graph; absent edges weigh nothing, so one that is not has a cut of weight 0.
Result<std::int64_t> minimum_cut(const Graph& graph) {
  if (components(graph) > 1) return std::int64_t{0};
  const std::uint64_t vertices = boost::num_vertices(graph);
  const auto log2 = static_cast<std::uint64_t>(std::bit_width(vertices));
  if (vertices * (boost::num_edges(graph) + vertices * log2) > kLargestCost) {
    return Error{ErrorCode::kLimitExceeded, "the network is too large for a minimum cut"};
  }
  return boost::stoer_wagner_min_cut(graph, boost::get(boost::edge_weight, graph));
}

// No listed edge outweighs an absent one, so a minimum spanning forest of the listed edges extends to a minimum
// spanning tree; vertices of different components are joined by absent edges only.
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
  if (resolution < 0 || resolution > kFinestResolution) {
    return Error{ErrorCode::kInvalidArgument, "the resolution must be 0 to 40 binary digits"};
  }
  HEARSAY_TRY(const BinaryGrid grid, BinaryGrid::create(-resolution));
  const Rational sensitivity = whole(std::uint64_t{1} << static_cast<unsigned>(resolution));
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, sensitivity, neighbours));
  return GraphMechanism(laplace, measure, vertices, grid);
}

Result<std::int64_t> GraphMechanism::statistic(std::span<const WeightedEdge> edges) const {
  HEARSAY_TRY(const Graph graph, rounded(edges, vertices_, grid_));
  if (measure_ == GraphMeasure::kMinimumCut) return minimum_cut(graph);
  return minimum_spanning_tree(graph, std::int64_t{1} << static_cast<unsigned>(-grid_.log2_step()));
}

Result<double> GraphMechanism::release(std::span<const WeightedEdge> edges, BitSource& bits) const {
  HEARSAY_TRY(const std::int64_t measure, statistic(edges));
  HEARSAY_TRY(const std::int64_t noisy, laplace_.release(measure, bits));
  return grid_.value(noisy);
}

Result<double> GraphMechanism::error_bound(std::uint64_t edges, double beta) const {
  HEARSAY_TRY(const std::uint64_t bound, laplace_.error_bound(1, beta));
  const bool tree = measure_ == GraphMeasure::kMinimumSpanningTree;
  const std::uint64_t summed = tree ? std::min<std::uint64_t>(edges, vertices_ - 1) : edges;
  return (static_cast<double>(bound) + static_cast<double>(summed) / 2) * grid_.step();
}

}  // namespace hearsay::central
