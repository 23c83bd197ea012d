// A query that tells differential from distributional privacy.
#pragma once

#include <cstdint>

#include "aggregator/central/neighbours.h"
#include "common/privacy/discrete_laplace.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// F_m: 0, 1, ..., m-1, m-1, ..., 1, 0, 0, 1, ...: x mod m going up in even blocks, down in odd ones. Neighbouring x
// differ by at most 1 in F_m. m >= 1. Blum, Ligett, Roth 2008, Definition 7.2.
std::uint64_t mirrored_mod(std::uint64_t x, std::uint64_t m);

// Q_m of n bits, F_m(Σ bits)/n, with discrete Laplace noise of scale 1/α on the numerator: α-differentially private
// under replace-one neighbours, purely and exactly. Not distributionally private: see far_pair_probability().
// Immutable, thread-safe. Blum, Ligett, Roth 2008, section 7.
class MirroredMod {
 public:
  static constexpr Neighbours kNeighbours = Neighbours::kReplaceOne;

  // `modulus` m in [1, 2^32]. Errors: kInvalidArgument.
  static Result<MirroredMod> create(std::uint64_t modulus, const Epsilon& alpha);
  // m = 2/α, which must be an integer, as in Theorem 7.3. Errors: kInvalidArgument.
  static Result<MirroredMod> separating(const Epsilon& alpha);

  std::uint64_t modulus() const { return modulus_; }
  const DiscreteLaplace& noise() const { return noise_; }

  // F_m(ones) plus noise; over n it is Q_m. Errors: kInvalidArgument unless ones <= n and n >= 1. Throws EntropyError.
  Result<std::int64_t> release(std::uint64_t ones, std::uint64_t n, BitSource& bits) const;

  // ln(Pr[output | ones1]/Pr[output | ones2]), exactly α·(|output - F_m(ones2)| - |output - F_m(ones1)|).
  double log_ratio(std::uint64_t ones1, std::uint64_t ones2, std::int64_t output) const;

 private:
  MirroredMod(std::uint64_t modulus, const DiscreteLaplace& noise) : modulus_(modulus), noise_(noise) {}
  std::uint64_t modulus_;
  DiscreteLaplace noise_;
};

// Pr[|F_m(S₁) - F_m(S₂)| >= gap] for S₁, S₂ independent sums of n fair bits. By Theorem 7.3 it is bounded away from 0
// for m = 2/α and gap = 1/α, and such a pair has a log-ratio of at least 1 > α for all outputs that are not between the
// two values (the printed "any output" is too much). It needs n well above m²; with n below, both sums stay in one
// slope. Cost: n + m. Errors: kInvalidArgument unless 1 <= n <= 10^7 and 1 <= m <= 10^6.
Result<double> far_pair_probability(std::uint64_t n, std::uint64_t m, std::uint64_t gap);

// Theorem 7.1: of n + 1 distinct elements, two databases of n drawn without replacement are one given pair of
// neighbours, in either order, with probability 2/(n+1)² (printed 2/n²); in one order with half of that, so β <
// 1/(n+1)² is what the theorem needs. n >= 1.
double neighbour_pair_probability(std::uint64_t n);

}  // namespace hearsay::central
