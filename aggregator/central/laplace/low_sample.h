// Releases functions that an algorithm can approximate from few records.
#pragma once

#include "aggregator/central/laplace/real_laplace.h"

namespace hearsay::central {

// What must be known about a randomized algorithm A that approximates f: D^n -> R^d. All three numbers hold for every
// input x.
struct SampleComplexity {
  Rational read_probability;  // α: A reads any one record with at most this probability, 0 <= α < 1
  Rational success;           // β: ‖A(x) - f(x)‖₁ <= σ with at least this probability, β <= 1
  Rational error;             // σ > 0, in f's units
};

// Returns 2σ, a bound on the replace-one sensitivity of f. A itself never runs. Errors: kInvalidArgument unless (1 +
// α)/2 < β <= 1, α < 1 and σ > 0; kOverflow. Dwork, McSherry, Nissim, Smith 2006, Lemma 1. The paper prints β =
// (1+α)/2. At equality the lemma is false. A counterexample: f is one bit. A reads the bit with probability α, and
// otherwise guesses. Then A is right with probability (1+α)/2, so every σ > 0 is allowed, yet S(f) = 1.
Result<Rational> sensitivity_bound(const SampleComplexity& complexity);

// Returns the Laplace mechanism for an f with this complexity, under replace-one. The mechanism adds noise to f(x), not
// to the output of A. Errors: those of sensitivity_bound and of RealLaplace::create.
Result<RealLaplace> low_sample_mechanism(const Epsilon& epsilon, const SampleComplexity& complexity,
                                         std::size_t dimension, const BinaryGrid& grid);

}  // namespace hearsay::central
