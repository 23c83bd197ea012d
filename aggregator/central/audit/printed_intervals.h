// The interval release as Blum, Ligett and Roth print it. The audit refutes its claim of privacy.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/central/audit/databases.h"
#include "common/base/rational.h"

namespace hearsay::central {

// Divides the cells into pieces, one piece after another. From the piece's first cell, a binary search looks for a last
// cell for which the piece's noisy mass lies in [ε₁/2 - ε₂, ε₁/2 + ε₂], with ε₁ = ε/2 and ε₂ = ε²/8. If a piece is too
// light, the search makes the piece longer. If a piece is too heavy, the search makes the piece shorter. A search that
// cannot go on takes the cell that it has reached. The continuous noise of every count has the scale 4b/(αε) for b
// bits, since Theorem 4.2 assumes at most 4b/ε counts. In fact there can be more counts, so the release is not
// α-private.
class PrintedIntervals {
 public:
  // Cells are 0 to 2^bits - 1. bits >= 1; 0 < error <= 1; alpha > 0.
  PrintedIntervals(unsigned bits, double error, double alpha) : bits_(bits), error_(error), alpha_(alpha) {}

  std::uint32_t cells() const { return std::uint32_t{1} << bits_; }

  // ends[a][c] is the probability that a piece that begins at cell a ends at cell c.
  using Law = std::vector<std::vector<long double>>;
  Law law(const Rows& rows) const;

  // Returns the largest ln(Pr[pieces | first]/Pr[pieces | second]) over all divisions of the cells into pieces.
  static long double largest_log_ratio(const Law& first, const Law& second);

 private:
  unsigned bits_;
  double error_;
  double alpha_;
};

}  // namespace hearsay::central
