// Releases a noisy mean of vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/laplace/bounded_rows.h"
#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// Releases μ = avg v(x_i), where v(x) ∈ R^d and ‖v(x)‖₁ <= γ. The mechanism adds noise to the sum of the rounded rows,
// an exact integer vector. The L1 sensitivity of this sum is exactly 2γ for every d (2γ/n for μ). The release is purely
// ε-differentially private under replace-one: the mean divides by n, which is public. Immutable, thread-safe. Dwork,
// McSherry, Nissim, Smith 2006, section 3.2.
class MeanVector {
 public:
  // Errors: kInvalidArgument (a bad RowBound), kUnsupported (kAddRemove, where n is private; release NoisySum and a
  // count, and divide), kScaleTooLarge.
  static Result<MeanVector> create(const Epsilon& epsilon, const RowBound& bound, Neighbours neighbours);

  // Returns the sum of the rounded rows, in steps. Errors: those of rounded_rows; kLimitExceeded if n·γ exceeds 2^61
  // steps. All errors depend only on public numbers.
  Result<std::vector<std::int64_t>> statistic(std::span<const double> values) const;

  // Releases μ with noise. Errors: those of statistic. Throws EntropyError.
  Result<std::vector<double>> release(std::span<const double> values, BitSource& bits) const;

  // Returns (m/n + 1)·step, where m is the error_bound of laplace() and n = `rows`. With probability at least 1 - beta
  // no coordinate of μ is off by more, in units of v. Errors: kInvalidArgument unless 0 < beta < 1 and rows >= 1.
  Result<double> error_bound(std::uint64_t rows, double beta) const;

  // Returns the least number of rows for which error_bound is at most alpha, in units of v: ⌈m·step/(alpha - step)⌉, at
  // least 1. Errors: kInvalidArgument unless step < alpha < infinity and 0 < beta < 1; kOverflow above 2^53.
  Result<std::uint64_t> rows(double alpha, double beta) const;

  const LaplaceMechanism& laplace() const { return laplace_; }

 private:
  MeanVector(const LaplaceMechanism& laplace, const RowBound& bound) : laplace_(laplace), bound_(bound) {}

  LaplaceMechanism laplace_;
  RowBound bound_;
};

}  // namespace hearsay::central
