// Computes how much a central, non-interactive release tells about parities that differ from row to row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hearsay/epsilon.h"
#include "hearsay/result.h"

namespace hearsay::examples {

// The statistical differences of a release of n rows of d bits, one for every r = (r_1, ..., r_n) of non-zero strings.
// Each difference is between two outputs: for uniform rows with all r_i·x_i = 0, and for uniform rows with all r_i·x_i
// = 1. For the first kind of rows Σ r_i·x_i is 0, for the second kind n.
struct ReleaseDistances {
  std::string name;
  std::vector<double> distances;  // (2^d - 1)^n distances
};

inline constexpr unsigned kMostJointBits = 12;
inline constexpr unsigned kMostRowBits = 6;
inline constexpr unsigned kMostRows = 3;

// Returns the distances of two releases: the general release of Blum, Ligett and Roth for all parities, as a synthetic
// database of n rows; and randomized response on every row. Errors: kInvalidArgument for no bit or no row;
// kDomainTooLarge above kMostRows rows, kMostRowBits bits of a row or kMostJointBits bits of all rows together. Cost:
// some seconds at most.
Result<std::vector<ReleaseDistances>> noninteractive_releases(unsigned bits, unsigned rows, const Epsilon& epsilon);

// `theorem_3` is the bound of Theorem 3 of Dwork, McSherry, Nissim, Smith 2006, with its constants. The bound holds for
// at least 2/3 of all r. The proof adds up 2n steps, each bounded by Lemma 2 with alpha = 1/(6n). `mean` bounds the
// mean over all r by n·sinh(ε/2)/√(2^d - 1).
struct ReleaseBounds {
  double theorem_3;
  double mean;
};
ReleaseBounds release_bounds(unsigned bits, unsigned rows, double epsilon);

}  // namespace hearsay::examples
