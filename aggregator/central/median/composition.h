// Computes what several private rounds cost together, if a small failure probability is allowed.
#pragma once

#include <cstdint>

#include "common/base/rational.h"

namespace hearsay::central {

// Returns an upper bound of τ that is about 1e-12·τ + 1e-16 above τ. τ is the least number for which any `rounds`
// adaptive rounds, each purely ε-private, are together (α, τ)-private:
//
//   Σ_{i <= rounds} C(rounds, i)·max(0, e^{(rounds-i)ε} - e^{α+iε})/(1+e^ε)^rounds.
//
// This is the hockey-stick divergence of `rounds` randomized responses; the output of every purely private round is a
// randomized function of one randomized response. If rounds·ε <= α, the result is exactly 0. Kairouz, Oh, Viswanath
// 2015, Theorem 3.3 with δ = 0; Murtagh, Vadhan 2016, for every α.
double composed_tau(const Rational& epsilon, std::uint32_t rounds, const Rational& alpha);

// Returns the ε that each round may spend: the largest ε = (α/rounds)(1 + j/1024), with whole j >= 0 and ε <=
// 8α/rounds, for which composed_tau(ε) <= tau. For tau = 0, or tau below 1e-16, this is α/rounds. Errors:
// kInvalidArgument unless rounds >= 1, α > 0 and 0 <= tau < 1; kOverflow.
Result<Rational> epsilon_per_round(const Rational& alpha, double tau, std::uint32_t rounds);

}  // namespace hearsay::central
