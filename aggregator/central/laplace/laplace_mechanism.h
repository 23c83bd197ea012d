// The Laplace mechanism on integer statistics. Most other mechanisms of this folder use this mechanism.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/calibration.h"
#include "aggregator/central/neighbours.h"
#include "common/random/bit_source.h"

namespace hearsay::central {

// Releases clamp(clamp(f(x)) + (Y_1, ..., Y_d)), where clamp() cuts each coordinate at ±2^61. The Y_i are independent
// with Pr[Y_i = y] ∝ exp(-|y|/t), t = S/ε. The release is purely ε-differentially private for every f into the
// integers, if the L1 sensitivity of f under `neighbours` is at most S and the dimension d is public. Uses integers and
// random bits only (calibration.h). Refuses no f(x): a coordinate beyond ±2^61 is off by its excess, in addition to
// error_bound(). Immutable, thread-safe. Cost: one random draw for each coordinate.
//
// Dwork, McSherry, Nissim, Smith 2006, Proposition 1, with the discrete law in place of the continuous one. The paper's
// "standard deviation S/ε" is the scale; the standard deviation is √2·S/ε.
class LaplaceMechanism {
 public:
  // `sensitivity`: an upper bound of max ‖f(x) - f(x')‖₁ over neighbours, in units of the statistic. Errors:
  // kInvalidArgument if the sensitivity is 0, kScaleTooLarge if it exceeds 2^54·ε, kOverflow.
  static Result<LaplaceMechanism> create(const Epsilon& epsilon, const Rational& sensitivity, Neighbours neighbours);

  // Releases a statistic of any dimension. Throws EntropyError.
  std::vector<std::int64_t> release(std::span<const std::int64_t> statistic, BitSource& bits) const;
  std::int64_t release(std::int64_t statistic, BitSource& bits) const;

  const Epsilon& epsilon() const { return epsilon_; }
  const Rational& sensitivity() const { return sensitivity_; }
  Neighbours neighbours() const { return neighbours_; }

  // Returns the law of each coordinate's noise, of scale t. The largest log-ratio of two databases over all outputs is
  // the L1 distance of their statistics over t. An output equal to the first database's statistic attains this ratio.
  const DiscreteLaplace& noise() const { return noise_; }
  Rational scale() const { return noise_.scale(); }

  // Returns the standard deviation of one coordinate: √(2q)/(1-q), q = e^{-1/t}, in units of the statistic. This
  // deviation is below √2·t, and near √2·t for large t.
  double standard_deviation() const;

  // Returns the least m with Pr[max_i |Y_i| > m] <= beta for `coordinates` coordinates. Uses the exact law, not a union
  // bound. The formula is m + 1 = ⌈t·ln(2/((1+q)·b))⌉ with q = e^{-1/t} and b = 1-(1-beta)^{1/coordinates}. m is at
  // most ⌈t·ln(2·coordinates/beta)⌉. Errors: kInvalidArgument unless 0 < beta < 1 and coordinates >= 1.
  Result<std::uint64_t> error_bound(std::size_t coordinates, double beta) const;

 private:
  LaplaceMechanism(const Epsilon& epsilon, const Rational& sensitivity, Neighbours neighbours, DiscreteLaplace noise)
      : epsilon_(epsilon), sensitivity_(sensitivity), neighbours_(neighbours), noise_(noise) {}

  Epsilon epsilon_;
  Rational sensitivity_;
  Neighbours neighbours_;
  DiscreteLaplace noise_;
};

// Returns ⌈bound/alpha⌉, at least 1: for this number of people, an error of `bound` in a count is an error of at most
// alpha in the fraction. Errors: kInvalidArgument unless 0 < alpha < 1; kOverflow above 2^53.
Result<std::uint64_t> people_for(std::uint64_t bound, double alpha);

}  // namespace hearsay::central
