// Writes a predicate on cells as a sum of products of predicates on one attribute each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"

namespace hearsay::compiler {

using CellSet = std::vector<std::uint8_t>;  // per cell of an axis: 1 if it is in the set

// The function of a combination of cells that is `factor` if every axis's cell is in the axis's set, and 0 otherwise.
struct CellProduct {
  double factor = 1;
  std::vector<CellSet> sets;  // per axis; an empty CellSet stands for all cells
};

// The function offset + Σ products.
struct ProductForm {
  double offset = 0;
  std::vector<CellProduct> products;
};

// Returns f as a sum of products. f has 0 or 1 for each combination of cells; the last axis's cell changes fastest. A
// box, the negation of a box and a predicate on one axis take one product. Any other f takes at most one product for
// each combination of cells of all axes but the last. So put the axis with the most cells last. `bytes_per_product` is
// the memory of one product. Throws WorkStopped, also if the products take more memory than `work` allows.
ProductForm product_form(std::span<const std::uint8_t> f, std::span<const std::size_t> cells,
                         std::uint64_t bytes_per_product, Work& work);

}  // namespace hearsay::compiler
