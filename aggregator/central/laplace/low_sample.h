// Functions that an algorithm reading few records can approximate: their sensitivity, and their release.
#pragma once

#include "aggregator/central/laplace/real_laplace.h"

namespace hearsay::central {

// What is known of a randomized algorithm A for f: D^n -> R^d, for every input x.
struct SampleComplexity {
  Rational read_probability;  // α: A reads any one record with at most this probability, 0 <= α < 1
  Rational success;           // β: ‖A(x) - f(x)‖₁ <= σ with at least this probability, β <= 1
  Rational error;             // σ > 0, in f's units
};

// 2σ, a bound of the replace-one sensitivity of f. A itself is never run.
// Errors: kInvalidArgument unless (1 + α)/2 < β <= 1, α < 1 and σ > 0; kOverflow.
// Dwork, McSherry, Nissim, Smith 2006, Lemma 1, which prints β = (1+α)/2; its proof needs β strictly above, and at
// equality it is false: f = one bit, A reads it with probability α and else guesses, so that σ = 0 and S(f) = 1.
Result<Rational> sensitivity_bound(const SampleComplexity& complexity);

// The Laplace mechanism for such an f (f itself, not A, is released), under replace-one.
// Errors: those of sensitivity_bound and of RealLaplace::create.
Result<RealLaplace> low_sample_mechanism(const Epsilon& epsilon, const SampleComplexity& complexity,
                                         std::size_t dimension, const BinaryGrid& grid);

}  // namespace hearsay::central
