// The Chernoff bound of Theorem 6's proof, with exact moment generating functions in place of the proof's estimates.
#pragma once

#include <cstdint>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::tails {

// A term weight·Y, Y discrete Laplace: Pr[Y = y] ∝ exp(-|y|/scale).
struct LaplaceTerm {
  double weight;
  double scale;  // above 0
};

// The error of one report, of mean 0. It is a sum of independent parts, each of which may be absent.
struct ReportError {
  std::vector<LaplaceTerm> noise;
  // A part of at most this variance with |part| <= bounded_radius (Bennett).
  double bounded_variance = 0;
  double bounded_radius = 0;
  // A part with E e^{sZ} <= exp(s²·subgaussian_variance/2) for all s. A part within an interval of length w has w²/4
  // here (Hoeffding's lemma).
  double subgaussian_variance = 0;
  // A bound on what the logarithm of the generating function exceeds that of the parts above by.
  double slack = 0;
};

// Returns log E e^{Y·s} for the discrete Laplace Y: log((cosh(1/t) - 1)/(cosh(1/t) - cosh s)), t = scale. +∞ for |s| >=
// 1/t.
double discrete_laplace_log_mgf(double s, double scale);

// Returns a δ such that the mean of the errors of `reports` independent reports lies outside ±δ with probability at
// most beta:
//   inf over s > 0 of (K(s) + ln(2/β)/n)/s,  K the logarithm of (a bound on) the moment generating function.
// Every s gives a valid δ, so an imprecise minimum is still right. The result is raised by 1e-9 of itself to cover the
// rounding. Reports may differ in their law if each satisfies the description. Sources: Aldà and Simon 2014, Theorem 6;
// Bennett 1962 for the bounded part. Cost: about 80 evaluations of K. Errors: kInvalidArgument unless reports >= 1 and
// 0 < beta < 1.
Result<double> chernoff_half_width(const ReportError& error, std::uint64_t reports, double beta);

}  // namespace hearsay::tails
