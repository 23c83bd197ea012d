// Products of functions that stand for a workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/planner/set_weights.h"
#include "aggregator/planner/workload.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Per attribute a number: those with the same one are asked alike. Of classes, attributes of one kind and size; where
// the workload holds a list of queries, each attribute has its own.
std::vector<std::size_t> asked_alike(const Workload& workload, const Schema& schema);

// Of a list of queries, its products. Of a class, products on one choice of attributes for each choice of kinds, and of
// each attribute up to 16 lengths of ranges, evenly spread, and of categories the first and the last one; fewer where
// the choices are many. Nothing for functions of attributes, for queries that are no products, and for too many.
std::optional<std::vector<WeightedProduct>> products_for(const Workload& workload, const Schema& schema,
                                                         const std::vector<std::size_t>& alike);

}  // namespace hearsay::planner
