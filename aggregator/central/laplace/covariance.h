// Releases a noisy covariance matrix.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/laplace/bounded_rows.h"
#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// Releases the covariance C = avg v(x_i)v(x_i)ᵀ - μμᵀ for a public number n of records x_i, where v(x) ∈ R^d, ‖v(x)‖₁
// <= γ and μ = avg v(x_i). The mechanism adds noise to n²·C of the rounded rows, an exact integer matrix in units of
// step². The L1 sensitivity of this matrix over all d² entries is exactly 6γ²(n-1) for d >= 2 and 4γ²(n-1) for d = 1.
// Divided by n², this sensitivity is below the paper's 8γ²/n for C. The release is purely ε-differentially private
// under replace-one. Immutable, thread-safe. Dwork, McSherry, Nissim, Smith 2006, section 3.2.
class Covariance {
 public:
  // `rows` is n. Errors: kInvalidArgument (a bad RowBound, or fewer than 2 rows: the covariance of one row is 0);
  // kUnsupported (kAddRemove, where n is private); kLimitExceeded (n·γ exceeds 2^30 steps, so take a coarser grid; or d
  // exceeds 2^10); kScaleTooLarge.
  static Result<Covariance> create(const Epsilon& epsilon, const RowBound& bound, std::uint64_t rows,
                                   Neighbours neighbours);

  // Returns n²·C of the rounded rows, in units of step², d×d, row by row. Errors: those of rounded_rows;
  // kInvalidArgument (not n rows). All errors depend only on public numbers. Cost: n·d², less if coordinates are 0.
  Result<std::vector<std::int64_t>> statistic(std::span<const double> values) const;

  // Releases C, d×d, row by row, symmetric. Each entry off the diagonal is the mean of its two noisy copies. The matrix
  // need not be positive semidefinite. Errors: those of statistic. Throws EntropyError.
  Result<std::vector<double>> release(std::span<const double> values, BitSource& bits) const;

  // Returns m·step²/n² + 4γ·step. m is the error_bound of laplace() over d² entries; the second term bounds the
  // rounding to the grid. With probability at least 1 - beta no entry of C is off by more, in squared units of v.
  // Errors: kInvalidArgument unless 0 < beta < 1.
  Result<double> error_bound(double beta) const;

  const LaplaceMechanism& laplace() const { return laplace_; }

 private:
  Covariance(const LaplaceMechanism& laplace, const RowBound& bound, std::uint64_t rows)
      : laplace_(laplace), bound_(bound), rows_(rows) {}

  LaplaceMechanism laplace_;
  RowBound bound_;
  std::uint64_t rows_;
};

}  // namespace hearsay::central
