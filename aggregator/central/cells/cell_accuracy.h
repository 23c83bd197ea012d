// How far the answers from a released cube are from the truth, with explicit constants.
#pragma once

#include <cstdint>
#include <span>

#include "common/privacy/discrete_laplace.h"
#include "hearsay/result.h"

namespace hearsay::central {

// All of these are about unclipped cells with independent noise of the law `noise`; deltas lie strictly in (0, 1).

// The least m such that all of `cells` cells are within m of the truth with probability at least 1 - delta, by the
// union bound: m = ⌈t·ln(2·cells/((1+e^{-1/t})·delta))⌉ - 1, t the noise's scale. Clipping at 0 does not spoil it for
// counts. Errors: kInvalidArgument for no cells or a bad delta; kOverflow.
Result<std::uint64_t> every_cell_error(const DiscreteLaplace& noise, std::uint64_t cells, double delta);

// The least number of rows at which, with probability at least 1 - delta, *every* union of cells is within the fraction
// `error` of the truth: ⌈cells·m/error⌉ with m as above, at most cells·(s/ε)·ln(2·cells/delta)/error + 1. For counts.
// Xiao, Xiong, Yuan 2010, Theorems 4.2 and 5.2, for the discrete law, with s = 2 under replacement, where the paper
// has 1. Errors: kInvalidArgument unless error > 0 is finite; kOverflow above 2^53.
Result<std::uint64_t> rows_for_every_union(const DiscreteLaplace& noise, std::uint64_t cells, double error,
                                           double delta);

// x such that the sum of the noise of k = `cells` given cells exceeds x in magnitude with probability at most delta:
// min over 0 < u < 1 of (k·ln M(u/t) + ln(2/delta))·t/u, M the moment generating function (Chernoff). It grows like √k.
// Errors: as every_cell_error.
Result<double> box_error(const DiscreteLaplace& noise, std::uint64_t cells, double delta);

// The same for all boxes of a cube at once: box_error of all its cells at delta over the number of boxes, which is
// Π J(J+1)/2. Errors: as every_cell_error and count_cells.
Result<double> every_box_error(const DiscreteLaplace& noise, std::span<const std::uint32_t> shape, double delta);

// What clipping at 0 adds on average to a cell that is empty: q/(1-q²) with q = e^{-1/t}, near t/2.
double nonnegative_excess(const DiscreteLaplace& noise);

}  // namespace hearsay::central
