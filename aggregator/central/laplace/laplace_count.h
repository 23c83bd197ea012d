// Releases a count with Laplace noise, for a trusted curator.
#pragma once

#include <cstdint>

#include "aggregator/central/laplace/laplace_mechanism.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// The answer of LaplaceCount::release().
struct CentralAnswer {
  // This number may lie outside [0, people].
  std::int64_t noisy_count;
  // noisy_count divided by people. This estimate is unbiased and not clipped.
  double fraction;
  double standard_error;  // of fraction
  // [low, high] holds the true fraction with a probability of at least `confidence`, for every number of people.
  double low;
  double high;
};

// Releases count + Y with Pr[Y = y] ∝ e^{-ε|y|}. Replacing one record changes a count by at most 1. So one release is
// purely ε-differentially private. Whoever runs the release sees the records. m releases about the same people cost mε.
// If the number of people is private, too (add-remove), use NoisySum with the bounds 0 and 1. Immutable, thread-safe.
//
// Dwork, McSherry, Nissim, Smith 2006, Example 1 and Theorem 1, with replace-one neighbours. The law here is discrete;
// the paper's law is continuous. The paper's standard deviation lacks the factor √2.
class LaplaceCount {
 public:
  // Errors: none for a valid ε.
  static Result<LaplaceCount> create(const Epsilon& epsilon);

  // Releases `count`, the number of counted records among `people` records. The number of people is public. A count
  // above `people` is taken as `people`. Errors: kInvalidArgument unless 1 <= people <= 2^53 and 0 < confidence < 1.
  // Throws EntropyError.
  Result<CentralAnswer> release(std::uint64_t count, std::uint64_t people, double confidence, BitSource& bits) const;

  // Returns the standard deviation of the noise: √(2q)/(1-q) with q = e^{-ε}. This deviation is below √2/ε, and near
  // √2/ε for small ε.
  double standard_deviation() const { return laplace_.standard_deviation(); }

  // Returns the least m with Pr[|Y| > m] <= beta: m + 1 = ⌈ln(2/((1+e^{-ε})·beta))/ε⌉. m is at most ⌈ln(2/beta)/ε⌉.
  // Errors: kInvalidArgument unless 0 < beta < 1.
  Result<std::uint64_t> error_bound(double beta) const { return laplace_.error_bound(1, beta); }

  // Returns ⌈m/alpha⌉, at least 1, where m is error_bound(beta). For this number of people or more, Pr[the fraction is
  // off by more than alpha] <= beta. Errors: kInvalidArgument unless 0 < alpha, beta < 1; kOverflow above 2^53.
  Result<std::uint64_t> users(double alpha, double beta) const;

  const LaplaceMechanism& laplace() const { return laplace_; }

 private:
  explicit LaplaceCount(const LaplaceMechanism& laplace) : laplace_(laplace) {}
  LaplaceMechanism laplace_;
};

}  // namespace hearsay::central
