// Private binary searches for the quantiles of sorted cells.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/privacy/discrete_laplace.h"
#include "common/random/bit_source.h"

namespace hearsay::central {

// Finds the pieces - 1 boundaries r_1 <= r_2 <= ... among the cells 0, ..., 2^bits - 1. A binary search for r_k starts
// at r_{k-1}. Each step of the search asks whether at least k·rows/pieces records are in the cells [0, r], for a cell
// r, and decides by a count with fresh noise. There are at most (pieces - 1)·bits questions for every database. A cell
// that holds many records can become several boundaries.
//
// Suppose that all noise is at most e in magnitude, and let k = #{j: r_j <= y}. Then the cells [0, y] hold between
// k·rows/pieces - e and (k+1)·rows/pieces + e records. For k = pieces - 1 the upper end is the number of records.
struct QuantileSearch {
  unsigned bits;         // 1 to 52
  std::uint64_t pieces;  // at least 1
  DiscreteLaplace noise;

  std::uint64_t most_questions() const { return (pieces - 1) * bits; }
  // `sorted` are the cells of the records, in ascending order, all below 2^bits. `rows` stands for the number of
  // records. If this number is private, the caller passes a noisy one.
  std::vector<std::uint64_t> run(std::span<const std::uint64_t> sorted, std::uint64_t rows, BitSource& source) const;

  // Calls `outcome` with every possible list of boundaries and its probability, in long double. The cost is
  // proportional to the number of paths of the searches.
  using Outcome = std::function<void(const std::vector<std::uint64_t>&, long double)>;
  void law(std::span<const std::uint64_t> sorted, std::uint64_t rows, const Outcome& outcome) const;
};

}  // namespace hearsay::central
