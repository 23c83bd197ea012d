// The interval release as Blum, Ligett and Roth print it, to be refuted.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/central/audit/databases.h"
#include "common/base/rational.h"

namespace hearsay::central {

// Piece after piece: from its first cell, a binary search for a last cell such that the piece's noisy mass lies in
// [ε₁/2 - ε₂, ε₁/2 + ε₂], with ε₁ = ε/2 and ε₂ = ε²/8. A piece too light is made longer and one too heavy shorter, and
// what is left when a search can go no further is taken. The continuous noise of every count has the scale 4b/(αε),
// because Theorem 4.2 takes it that there are at most 4b/ε counts. There is no such limit, so this is not α-private.
class PrintedIntervals {
 public:
  // Cells 0 to 2^bits - 1, bits >= 1; 0 < error <= 1; alpha > 0.
  PrintedIntervals(unsigned bits, double error, double alpha) : bits_(bits), error_(error), alpha_(alpha) {}

  std::uint32_t cells() const { return std::uint32_t{1} << bits_; }

  // ends[a][c]: the probability that a piece that begins at cell a ends at cell c; within 1e-16 a cell of itself.
  using Law = std::vector<std::vector<long double>>;
  Law law(const Rows& rows) const;

  // The largest ln(Pr[pieces | first]/Pr[pieces | second]) over all divisions of the cells into pieces.
  static long double largest_log_ratio(const Law& first, const Law& second);

 private:
  unsigned bits_;
  double error_;
  double alpha_;
};

}  // namespace hearsay::central
