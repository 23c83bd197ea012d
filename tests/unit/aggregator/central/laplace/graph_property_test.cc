#include "aggregator/central/laplace/graph_property.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "aggregator/central/laplace/distance_to_set.h"
#include "tests/support/numbers.h"

namespace hearsay::central {
namespace {

constexpr std::size_t kVertices = 5;
using Present = std::array<std::uint32_t, possible_edges(kVertices)>;

struct Facts {
  std::int64_t components = kVertices;
  std::int64_t edges = 0;
  std::int64_t odd = 0;              // the number of vertices of odd degree
  std::int64_t fewest_within = 100;  // the number of edges within the two parts of the best division of the vertices
};

// Merges components edge by edge, counts each vertex's edges, and tries all divisions of the vertices into two parts.
Facts facts_of(const Present& present) {
  Facts facts;
  std::array<std::size_t, kVertices> component{};
  std::iota(component.begin(), component.end(), std::size_t{0});
  std::array<int, kVertices> degree{};
  std::array<int, 1U << kVertices> within{};
  std::size_t i = 0;
  for (std::size_t b = 1; b < kVertices; ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (present[i++] == 0) continue;
      ++facts.edges;
      ++degree[a];
      ++degree[b];
      for (std::size_t side = 0; side < within.size(); ++side)
        within[side] += (side >> a & 1U) == (side >> b & 1U) ? 1 : 0;
      if (component[a] == component[b]) continue;
      --facts.components;
      std::replace(component.begin(), component.end(), std::size_t{component[b]}, std::size_t{component[a]});
    }
  }
  for (const int one : degree) facts.odd += one % 2;
  facts.fewest_within = *std::min_element(within.begin(), within.end());
  return facts;
}

TEST_CASE("the distances of networks of five vertices to a property agree with other computations") {
  const auto distance = [](GraphProperty property) {
    return DistanceToSet::create(tests::eps("1"), 2, possible_edges(kVertices),
                                 property_indicator(property, kVertices).value(), Neighbours::kReplaceOne)
        .value();
  };
  const DistanceToSet connected = distance(GraphProperty::kConnected);
  const DistanceToSet acyclic = distance(GraphProperty::kAcyclic);
  const DistanceToSet bipartite = distance(GraphProperty::kBipartite);
  const DistanceToSet even = distance(GraphProperty::kEvenDegrees);
  const DistanceToSet triangle_free = distance(GraphProperty::kTriangleFree);
  for (std::size_t graph = 0; graph < 1U << possible_edges(kVertices); graph += 3) {
    Present present{};
    for (std::size_t i = 0; i < present.size(); ++i) present[i] = graph >> i & 1U;
    const Facts facts = facts_of(present);
    CHECK(connected.statistic(present).value() == facts.components - 1);
    CHECK(acyclic.statistic(present).value() ==
          facts.edges - (static_cast<std::int64_t>(kVertices) - facts.components));
    CHECK(bipartite.statistic(present).value() == facts.fewest_within);
    CHECK(even.statistic(present).value() == facts.odd / 2);  // changing one edge makes two odd vertices even
    // A bipartite network has no triangle. Of the networks of five vertices, only the five-cycle has no triangle and
    // is not bipartite. Without one edge the five-cycle is bipartite.
    const std::int64_t left = triangle_free.statistic(present).value();
    CHECK(left <= facts.fewest_within);
    CHECK(left >= facts.fewest_within - 1);
  }
}

TEST_CASE("networks that are too small or too large are refused") {
  CHECK(property_indicator(GraphProperty::kConnected, 1).error().code == ErrorCode::kInvalidArgument);
  CHECK(property_indicator(GraphProperty::kConnected, 7).error().code == ErrorCode::kDomainTooLarge);
}

}  // namespace
}  // namespace hearsay::central
