// Properties of networks, for example being connected. DistanceToSet releases how far a network is from a property.
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

// Returns the number of possible edges. The order of the possible edges is {0,1}, {0,2}, {1,2}, {0,3}, …. Each possible
// edge is one record of a DistanceToSet over {0, 1}: 1 if the network has the edge, 0 if not.
constexpr std::size_t possible_edges(std::size_t vertices) { return vertices * (vertices - 1) / 2; }

// Returns the function `has_property` for DistanceToSet::create. DistanceToSet then releases how many edges must be
// added or removed for a network of `vertices` vertices to have the property. The sensitivity is 1. Enumeration limits
// a network to 6 vertices (15 possible edges). Dwork, McSherry, Nissim, Smith 2006, section 3.2: "the minimum number of
// changes … so that some property holds". Errors: kInvalidArgument for fewer than 2 vertices, kDomainTooLarge above 6.
Result<std::function<bool(std::span<const std::uint32_t>)>> property_indicator(GraphProperty property,
                                                                               std::size_t vertices);

}  // namespace hearsay::central
