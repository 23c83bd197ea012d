// The Laplace mechanism for functions into the reals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/laplace/binary_grid.h"
#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// Releases f(x) ∈ R^d of L1 sensitivity S. Rounds each coordinate of f(x) to a multiple of a public step g, and adds
// discrete Laplace noise in steps. The rounded values of two neighbours differ by at most ⌈S/g⌉ + d - 1 steps in the L1
// norm, and the noise is calibrated for this number. The release is purely ε-differentially private for every f that,
// *as computed in doubles*, has sensitivity at most S. Immutable, thread-safe. Dwork, McSherry, Nissim, Smith 2006,
// Proposition 1, where the noise is continuous and the arithmetic real.
class RealLaplace {
 public:
  // `sensitivity` is in f's units, above 0. Errors: kInvalidArgument (a sensitivity or dimension of 0), kScaleTooLarge
  // (the scale exceeds 2^54 steps), kOverflow.
  static Result<RealLaplace> create(const Epsilon& epsilon, const Rational& sensitivity, std::size_t dimension,
                                    const BinaryGrid& grid, Neighbours neighbours);

  // Returns f(x) in steps: the d numbers to which release() adds noise. Refuses no value: NaN and missing coordinates
  // count as 0, extra coordinates are ignored, and all are clamped to ±2^61 steps. S must hold for f read in this way.
  std::vector<std::int64_t> statistic(std::span<const double> value) const;

  // Releases f(x) with noise, in f's units. Throws EntropyError.
  std::vector<double> release(std::span<const double> value, BitSource& bits) const;

  // Returns (m + 1/2)·g, where m is the error_bound of laplace(). With probability at least 1 - beta no coordinate is
  // off by more, in units of f. Errors: kInvalidArgument unless 0 < beta < 1.
  Result<double> error_bound(double beta) const;

  const LaplaceMechanism& laplace() const { return laplace_; }
  const BinaryGrid& grid() const { return grid_; }

 private:
  RealLaplace(const LaplaceMechanism& laplace, std::size_t dimension, const BinaryGrid& grid)
      : laplace_(laplace), dimension_(dimension), grid_(grid) {}

  LaplaceMechanism laplace_;
  std::size_t dimension_;
  BinaryGrid grid_;
};

// Returns the numbers steps[i]·step of the grid.
std::vector<double> values(const BinaryGrid& grid, std::span<const std::int64_t> steps);

}  // namespace hearsay::central
