// Cell release: noise on every cell of a data cube, after which all sums over boxes are free.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/central/cells/cell_cube.h"
#include "aggregator/central/neighbours.h"
#include "common/privacy/discrete_laplace.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// How far apart, in L1 over the cells, neighbours can be: A = max(|low|, |high|) when a row comes or goes, and 2A when
// one is replaced, since it can leave one cell and enter another (met whenever there are two cells; one cell alone
// would need only max(A, high - low)). The paper's GS = 1/n is A for fractions of a public n, and so half of what
// replacement needs.
std::uint64_t cell_sensitivity(Neighbours neighbours, AmountRange amounts);

// clamp(cell + Y, ±2^61), independently for every cell, with Pr[Y = y] ∝ e^{-|y|·ε/s}, s the sensitivity. Purely and
// exactly ε-private for the stated neighbours, in the central model: ‖a - b‖₁·ε/s is all that can tell cubes a and b
// apart. Immutable, thread-safe. Xiao, Xiong, Yuan 2010, section 4.1.1 and Theorem 5.1, with the discrete law, on
// counts and sums instead of fractions, and with the noise that Theorem 5.1 needs: its printed Lap(1/(αn)) is the one
// for kAddRemove here, and under replacement of a row that one is 2α-private, no better.
class CellRelease {
 public:
  // Errors: kInvalidArgument for a bad range of amounts (see CellCube::create); kOverflow, kScaleTooLarge if s/ε
  // exceeds 2^54.
  static Result<CellRelease> create(const Epsilon& epsilon, Neighbours neighbours, AmountRange amounts = {});

  // Errors: kInvalidArgument if the cube's amounts have another range, which is public. Throws EntropyError. Cost: one
  // noise a cell.
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
