// Products of functions that represent a workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/planner/set_weights.h"
#include "aggregator/planner/workload.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Returns a number for each attribute. Attributes with the same number are asked alike. In a workload of classes, these
// are attributes of one kind and size. If the workload holds a list of queries, each attribute has a number of its own.
std::vector<std::size_t> asked_alike(const Workload& workload, const Schema& schema);

// Returns the products. For a list, these are all of its queries. For a class, these are products on one choice of
// attributes for each choice of kinds. Of each ordered attribute the products use up to 16 lengths of ranges, evenly
// spread. Of each categorical attribute they use the first and the last value. They use fewer if there are many
// choices. Returns nothing for functions of attributes, for queries that are no products, and for too many products.
std::optional<std::vector<WeightedProduct>> products_for(const Workload& workload, const Schema& schema,
                                                         const std::vector<std::size_t>& alike);

}  // namespace hearsay::planner
