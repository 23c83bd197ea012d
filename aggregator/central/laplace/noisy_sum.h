// The noisy sum, and with the bounds 0 and 1 the noisy count.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/central/laplace/binary_grid.h"
#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// Σ g(x_i) for a public g with values in [lower, upper]. Every value is rounded to the grid by itself, so the sum is an
// exact integer and its sensitivity, in steps, exactly upper - lower under replace-one and max(|lower|, |upper|) under
// add-remove. Pure ε-differential privacy. Immutable, thread-safe.
// Dwork, McSherry, Nissim, Smith 2006, Examples 1 and 3 and Proposition 1 (there g has values in [0, 1]).
class NoisySum {
 public:
  // The bounds are in steps of the grid. Errors: kInvalidArgument unless lower < upper; kLimitExceeded beyond ±2^61;
  // kScaleTooLarge.
  static Result<NoisySum> create(const Epsilon& epsilon, std::int64_t lower, std::int64_t upper, const BinaryGrid& grid,
                                 Neighbours neighbours);

  // The sum in steps. Empty data sum to 0. Errors: kInvalidArgument for NaN, an infinity, or a value that rounds to
  // outside the bounds; kLimitExceeded if the sum exceeds 2^61. These depend on the data: for the curator alone.
  Result<std::int64_t> statistic(std::span<const double> values) const;

  // One release. Errors: those of statistic. Throws EntropyError.
  Result<double> release(std::span<const double> values, BitSource& bits) const;

  // With probability at least 1 - beta the release is within (m + records/2)·step of the true sum, m the error_bound of
  // laplace(); within m·step if all values are on the grid. Errors: kInvalidArgument unless 0 < beta < 1.
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
