// Bounds how far answers from a released cube are from the truth. Use the bounds to choose ε and the cells before a
// release.
#pragma once

#include <cstdint>
#include <span>

#include "common/privacy/discrete_laplace.h"
#include "hearsay/result.h"

namespace hearsay::central {

// The three bounds hold for cells without clipping and with independent noise of the law `noise`. 0 < delta < 1.

// Returns the least m with `cells`·Pr[|Y| > m] <= delta. By the union bound, all cells are within m of the truth with
// probability at least 1 - delta. m = ⌈t·ln(2·cells/((1+e^{-1/t})·delta))⌉ - 1, where t is the scale of the noise. For
// counts this also holds after clipping at 0. A sum over all cells is then off by at most cells·m. Errors:
// kInvalidArgument (no cells or a bad delta); kOverflow.
Result<std::uint64_t> every_cell_error(const DiscreteLaplace& noise, std::uint64_t cells, double delta);

// Returns an x. With probability at least 1 - delta, the sum of the noise of k = `cells` cells is at most x in
// magnitude. x = min over 0 < u < 1 of (k·ln M(u/t) + ln(2/delta))·t/u, where M is the moment generating function of
// the noise (Chernoff). For large k, x grows like √k. Errors: kInvalidArgument, as every_cell_error.
Result<double> box_error(const DiscreteLaplace& noise, std::uint64_t cells, double delta);

// Returns an x that holds for all boxes of a cube at once. This is box_error() for all cells, with delta divided by the
// number of boxes, Π J(J+1)/2 over the lengths J in `shape`. Errors: as box_error and count_cells.
Result<double> every_box_error(const DiscreteLaplace& noise, std::span<const std::uint32_t> shape, double delta);

}  // namespace hearsay::central
