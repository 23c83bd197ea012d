// Measures the errors of random intervals and rectangles on a released cube.
#pragma once

#include <cstdint>

#include "aggregator/central/cells/cell_release.h"
#include "examples/reproduce_papers/figure.h"

namespace hearsay::examples {

// Errors of answers, as fractions of the rows.
struct IntervalErrors {
  double mean = 0;
  double largest = 0;
};

// Makes a cube of one or two dimensions with bell-shaped counts along each dimension. The counts add up to about
// `rows`.
Result<central::CellCube> bell_cube(const std::vector<std::uint32_t>& shape, double rows);

// Measures the errors of random boxes over `releases` releases. In each dimension, a box has two uniform ends, put in
// order. For added or removed rows, the noise of a cell, as a fraction of the n rows, is Lap(1/(αn)), as the paper
// prints it. For replaced rows the noise is twice as large. Negative cells become 0, as in the paper.
Result<IntervalErrors> interval_errors(const central::CellCube& cube, central::Neighbours neighbours,
                                       const std::string& alpha, unsigned releases, unsigned queries, const Dice& dice);

}  // namespace hearsay::examples
