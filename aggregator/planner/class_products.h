// Finds products of functions that represent a workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/planner/set_weights.h"
#include "aggregator/planner/workload.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Returns a number for each attribute. The planner asks the same questions about attributes with the same number,
// equally often. In a workload of classes, attributes of one kind and size have the same number. If the workload holds
// a list of queries, each attribute has a number of its own.
std::vector<std::size_t> asked_alike(const Workload& workload, const Schema& schema);

// Returns the products that represent the workload. For a list, the products are its queries. For a class, the products
// are on one choice of attributes for each combination of kinds. On an ordered attribute, the products have up to 16
// lengths of ranges, evenly spread, but fewer if there are many choices of attributes. On a categorical attribute, the
// products have the first and the last value. Returns nothing for functions of attributes, for queries that are no
// products, and for more than 512 choices of attributes.
std::optional<std::vector<WeightedProduct>> products_for(const Workload& workload, const Schema& schema,
                                                         const std::vector<std::size_t>& alike);

}  // namespace hearsay::planner
