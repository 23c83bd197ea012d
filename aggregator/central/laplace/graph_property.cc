#include "aggregator/central/laplace/graph_property.h"

#include <array>
#include <numeric>

namespace hearsay::central {
namespace {

constexpr std::size_t kMostPropertyVertices = 6;

struct SmallGraph {
  std::size_t vertices;
  std::array<std::array<bool, kMostPropertyVertices>, kMostPropertyVertices> edge{};

  SmallGraph(std::size_t count, std::span<const std::uint32_t> present) : vertices(count) {
    std::size_t i = 0;
    for (std::size_t b = 1; b < vertices; ++b) {
      for (std::size_t a = 0; a < b; ++a) edge[a][b] = edge[b][a] = present[i++] != 0;
    }
  }

  std::size_t edges() const {
    std::size_t sum = 0;
    for (std::size_t b = 1; b < vertices; ++b) {
      for (std::size_t a = 0; a < b; ++a) sum += edge[a][b] ? 1 : 0;
    }
    return sum;
  }

  // two_colours: whether two colours suffice so that no edge joins two vertices of the same colour.
  struct Traversal {
    std::size_t components = 0;
    bool two_colours = true;
  };
  Traversal traverse() const {
    Traversal found;
    std::array<int, kMostPropertyVertices> colour{};
    for (std::size_t root = 0; root < vertices; ++root) {
      if (colour[root] != 0) continue;
      ++found.components;
      colour[root] = 1;
      visit(root, colour, found.two_colours);
    }
    return found;
  }

  bool has_triangle() const {
    for (std::size_t a = 0; a < vertices; ++a) {
      for (std::size_t b = a + 1; b < vertices; ++b) {
        for (std::size_t c = b + 1; c < vertices; ++c) {
          if (edge[a][b] && edge[b][c] && edge[a][c]) return true;
        }
      }
    }
    return false;
  }

  bool even_degrees() const {
    for (std::size_t a = 0; a < vertices; ++a) {
      if (std::accumulate(edge[a].begin(), edge[a].end(), 0) % 2 != 0) return false;
    }
    return true;
  }

 private:
  void visit(std::size_t from, std::array<int, kMostPropertyVertices>& colour, bool& two_colours) const {
    for (std::size_t to = 0; to < vertices; ++to) {
      if (!edge[from][to]) continue;
      if (colour[to] == colour[from]) two_colours = false;
      if (colour[to] != 0) continue;
      colour[to] = -colour[from];
      visit(to, colour, two_colours);
    }
  }
};

bool has_property(GraphProperty property, const SmallGraph& graph) {
  switch (property) {
    case GraphProperty::kConnected:
      return graph.traverse().components == 1;
    case GraphProperty::kAcyclic:
      return graph.edges() + graph.traverse().components == graph.vertices;
    case GraphProperty::kBipartite:
      return graph.traverse().two_colours;
    case GraphProperty::kTriangleFree:
      return !graph.has_triangle();
    case GraphProperty::kEvenDegrees:
      break;
  }
  return graph.even_degrees();
}

}  // namespace

Result<std::function<bool(std::span<const std::uint32_t>)>> property_indicator(GraphProperty property,
                                                                               std::size_t vertices) {
  if (vertices < 2) return Error{ErrorCode::kInvalidArgument, "a network needs at least two vertices"};
  if (vertices > kMostPropertyVertices) {
    return Error{ErrorCode::kDomainTooLarge, "networks are enumerated only up to 6 vertices"};
  }
  return std::function<bool(std::span<const std::uint32_t>)>(
      [property, vertices](std::span<const std::uint32_t> present) {
        return has_property(property, SmallGraph(vertices, present));
      });
}

}  // namespace hearsay::central
