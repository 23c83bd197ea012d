// Adds noise to every cell of a data cube. Sums over boxes of noisy cells cost no more privacy.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/central/cells/cell_cube.h"
#include "aggregator/central/neighbours.h"
#include "common/privacy/discrete_laplace.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// Returns the largest L1 distance between the cubes of two neighbours. With A = max(|low|, |high|), the distance is A
// if a row comes or goes. The distance is 2A if a row is replaced, since the row can leave one cell and enter another.
// For counts, the paper's GS = 1/n is A/n, half of what replacement needs.
std::uint64_t cell_sensitivity(Neighbours neighbours, AmountRange amounts);

// Releases clamp(cell + Y, ±2^61), independently for every cell, with Pr[Y = y] ∝ e^{-|y|·ε/s}, where s is the
// sensitivity. The release is purely and exactly ε-private for the stated neighbours, in the central model: the
// probabilities of an output for cubes a and b differ by at most the factor e^{‖a - b‖₁·ε/s}. Immutable, thread-safe.
//
// Xiao, Xiong, Yuan 2010, section 4.1.1 and Theorem 5.1. Here the law is discrete, and the cells hold counts and sums
// instead of fractions. The printed Lap(1/(αn)) is the noise for kAddRemove here. If a row is replaced, that noise is
// only 2α-private.
class CellRelease {
 public:
  // Errors: kInvalidArgument (a bad range of amounts, see CellCube::create); kOverflow, kScaleTooLarge (s/ε exceeds
  // 2^54).
  static Result<CellRelease> create(const Epsilon& epsilon, Neighbours neighbours, AmountRange amounts = {});

  // Errors: kInvalidArgument (the cube has another range of amounts; ranges are public). Throws EntropyError. Cost: one
  // random draw for each cell.
  Result<ReleasedCube> release(const CellCube& cube, BitSource& bits) const;

  const DiscreteLaplace& noise() const { return noise_; }
  Neighbours neighbours() const { return neighbours_; }
  AmountRange amounts() const { return amounts_; }

 private:
  CellRelease(DiscreteLaplace noise, Neighbours neighbours, AmountRange amounts)
      : noise_(noise), neighbours_(neighbours), amounts_(amounts) {}
  DiscreteLaplace noise_;
  Neighbours neighbours_;
  AmountRange amounts_;
};

}  // namespace hearsay::central
