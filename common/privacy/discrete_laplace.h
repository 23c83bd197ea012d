// Discrete Laplace noise. The law and the sampler read the same two integers.
#pragma once

#include <cstdint>

#include "common/base/rational.h"
#include "common/random/bit_source.h"

namespace hearsay {

// The integer Y with Pr[Y = y] = tanh(1/(2t))·exp(-|y|/t), for a scale t = s/r > 0.
//
// Adding an independent Y to each coordinate of an integer statistic of L1 sensitivity D is purely D/t-differentially
// private. The reason: shifting y by k changes its probability by a factor of at most exp(k/t), and by exactly this
// factor on one side of 0. (Dwork et al. 2006 for the continuous law; Ghosh, Roughgarden, Sundararajan 2009 for the
// discrete law.) Immutable, thread-safe.
class DiscreteLaplace {
 public:
  // `scale` is in units of the statistic, above 0 and at most 2^54. Errors: kInvalidArgument (0), kScaleTooLarge.
  static Result<DiscreteLaplace> create(Rational scale);

  // Draws clamp(Y, -2^62, 2^62), exactly, by Canonne, Kamath, Steinke 2020, Algorithm 2. The clamp acts with
  // probability below 2^-368. Suppose that the caller clamps statistic plus noise to [-B, B], with B + |statistic| <=
  // 2^62. Then the result has exactly the law that unclamped noise would give. Throws EntropyError. The time depends on
  // the noise drawn.
  std::int64_t sample(BitSource& source) const;

  Rational scale() const { return scale_; }

  // Returns an integer m >= 1 with Pr[|Y| >= m] < 2^-L, L = log2_inverse: (L+1)·t·ln 2 rounded up, with 0.6931472 in
  // place of ln 2. Computed in integers, so the bound is equal on all machines. Saturates at 2^64 - 1, which no sample
  // reaches.
  std::uint64_t tail_bound(unsigned log2_inverse) const;

  // For statistics only: no sampler uses these floating-point numbers.
  double variance() const;                       // 1/(2·sinh²(1/(2t)))
  double log_probability(std::int64_t y) const;  // natural logarithm of Pr[Y = y]

 private:
  explicit DiscreteLaplace(Rational scale) : scale_(scale) {}
  Rational scale_;
};

}  // namespace hearsay
