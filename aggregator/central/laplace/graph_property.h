// Properties of networks, for the distance to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "hearsay/result.h"

namespace hearsay::central {

enum class GraphProperty : std::uint8_t {
  kConnected,
  kAcyclic,
  kBipartite,
  kTriangleFree,
  kEvenDegrees,  // every vertex has an even number of edges
};

// The number of possible edges {0,1}, {0,2}, {1,2}, {0,3}, …: these are the records of a DistanceToSet over {0, 1},
// with 1 for an edge.
constexpr std::size_t possible_edges(std::size_t vertices) { return vertices * (vertices - 1) / 2; }

// Returns the indicator to give to DistanceToSet, which then tells how many edges must be added or removed for a
// network of this many vertices to have the property. The sensitivity is 1. Enumeration limits a network to 6 vertices
// (15 edges). Dwork, McSherry, Nissim, Smith 2006, section 3.2: "the minimum number of changes … so that some property
// holds". Errors: kInvalidArgument for fewer than 2 vertices, kDomainTooLarge above 6.
Result<std::function<bool(std::span<const std::uint32_t>)>> property_indicator(GraphProperty property,
                                                                               std::size_t vertices);

}  // namespace hearsay::central
