// Releases a noisy sum. With the bounds 0 and 1, the sum is a count.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/central/laplace/binary_grid.h"
#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// Releases Σ g(x_i) for a public g with values in [lower, upper]. Every value is rounded to the grid by itself, so the
// sum is an exact integer in steps. Its sensitivity is exactly upper - lower under replace-one, and max(|lower|,
// |upper|) under add-remove. The release is purely ε-differentially private. Immutable, thread-safe. Dwork, McSherry,
// Nissim, Smith 2006, Examples 1 and 3 and Proposition 1 (where g has values in [0, 1]).
class NoisySum {
 public:
  // The bounds are in steps of the grid. Errors: kInvalidArgument unless lower < upper; kLimitExceeded beyond ±2^61;
  // kScaleTooLarge.
  static Result<NoisySum> create(const Epsilon& epsilon, std::int64_t lower, std::int64_t upper, const BinaryGrid& grid,
                                 Neighbours neighbours);

  // Returns the sum in steps, clamped to ±2^61. The sum of no values is 0. Refuses no value: NaN is replaced by 0, and
  // a value that rounds to a multiple outside the bounds counts as the nearer bound.
  std::int64_t statistic(std::span<const double> values) const;

  // Releases the sum with noise. Throws EntropyError.
  double release(std::span<const double> values, BitSource& bits) const;

  // Returns (m + records/2)·step, where m is the error_bound of laplace(). With probability at least 1 - beta the
  // release is off by at most this, and by at most m·step if all values are on the grid. The values must be within the
  // bounds, and the sum within ±2^61 steps. Errors: kInvalidArgument unless 0 < beta < 1.
  Result<double> error_bound(std::uint64_t records, double beta) const;

  const LaplaceMechanism& laplace() const { return laplace_; }

 private:
  NoisySum(const LaplaceMechanism& laplace, std::int64_t lower, std::int64_t upper, const BinaryGrid& grid)
      : laplace_(laplace), lower_(lower), upper_(upper), grid_(grid) {}

  LaplaceMechanism laplace_;
  std::int64_t lower_;
  std::int64_t upper_;
  BinaryGrid grid_;
};

}  // namespace hearsay::central
