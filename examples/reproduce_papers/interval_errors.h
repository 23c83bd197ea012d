// Random intervals and rectangles on a released cube.
#pragma once

#include <cstdint>

#include "aggregator/central/cells/cell_release.h"
#include "examples/reproduce_papers/figure.h"

namespace hearsay::examples {

// Of answers as fractions of the rows.
struct IntervalErrors {
  double mean = 0;
  double largest = 0;
};

// A cube of one or two dimensions whose counts follow bell-shaped distributions along each; `rows` in all, rounded.
Result<central::CellCube> bell_cube(const std::vector<std::uint32_t>& shape, double rows);

// Errors of random boxes (two uniform ends in each dimension, put in order) over so many releases with the cells' noise
// for added or removed rows, Lap(1/(αn)) as the paper prints it, or for replaced ones. Negative cells are 0, as there.
Result<IntervalErrors> interval_errors(const central::CellCube& cube, central::Neighbours neighbours,
                                       const std::string& alpha, unsigned releases, unsigned queries, const Dice& dice);

}  // namespace hearsay::examples
