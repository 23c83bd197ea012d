// Finds the parity that best tells two databases apart.
#pragma once

#include <cstdint>
#include <span>

#include "hearsay/result.h"

namespace hearsay::examples {

// A set S ⊆ {1, ..., d} as bits, and its gap |PQ_S(D1) - PQ_S(D2)|. PQ_S is the share of rows with an even number of
// ones in S.
struct ParityGap {
  std::uint32_t parity;
  double gap;
};

// Returns the set S with the largest gap. If the databases have n rows each and share at most half of these rows, the
// gap is at least parity_gap_bound(n). This is Lemma A.5 of Blum, Ligett, Roth 2008, by its proof: Parseval's identity
// for the difference of the two indicator functions. Errors: kDomainTooLarge above 20 bits; kInvalidArgument for no
// rows, for unequal numbers of rows, for a row with a bit beyond the d-th, and for a row that occurs twice in a
// database. (The proof needs sets of rows.) Cost: d·2^d.
Result<ParityGap> widest_parity(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second,
                                unsigned bits);

// Returns 1/(2√(2n)), as in the paper. (The paper's proof even gives 1/(2√n), because rows that are not shared count in
// both databases.)
double parity_gap_bound(std::uint64_t rows);

}  // namespace hearsay::examples
