// Divides the values of an attribute into cells: groups of values that a query treats alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// One attribute's values, divided into cells. If the values of two records are in the same cells, the query has the
// same answer for both records.
struct Cells {
  std::uint32_t attribute;
  std::vector<std::uint32_t> cell_of;  // per value; cells are numbered by their smallest value
  std::vector<std::uint32_t> size;     // per cell: how many values
};

// Returns the cells of each attribute that has more than one cell, by ascending attribute. A query compares an
// attribute with sets of values. Two values share a cell if each of these sets holds both values or neither. If the
// attribute is in a sum, every value is a cell of its own.
std::vector<Cells> distinguished_cells(const Query& query, const Schema& schema, Work& work);

// Returns the cells of `attributes` if every value is a cell of its own.
std::vector<Cells> single_value_cells(std::span<const std::uint32_t> attributes, const Schema& schema);

}  // namespace hearsay::compiler
