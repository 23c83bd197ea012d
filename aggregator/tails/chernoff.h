// Computes the Chernoff bound from the proof of Theorem 6 of Aldà and Simon 2014. Exact moment generating functions
// take the place of the proof's estimates.
#pragma once

#include <cstdint>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::tails {

// The noise weight·Y, where Y is discrete Laplace: Pr[Y = y] ∝ exp(-|y|/scale).
struct LaplaceTerm {
  double weight;
  double scale;  // above 0
};

// The error of one report: a sum of independent parts with the mean 0. Each part may be absent.
struct ReportError {
  std::vector<LaplaceTerm> noise;
  // A part with at most this variance and with |part| <= bounded_radius, for Bennett's bound.
  double bounded_variance = 0;
  double bounded_radius = 0;
  // A part Z with E e^{sZ} <= exp(s²·subgaussian_variance/2) for all s. For a part within an interval of length w, w²/4
  // is enough (Hoeffding's lemma).
  double subgaussian_variance = 0;
  // The most by which ln E e^{sZ} of the whole error Z exceeds the sum over the parts above.
  double slack = 0;
};

// Returns log E e^{Y·s} for the discrete Laplace Y: log((cosh(1/t) - 1)/(cosh(1/t) - cosh s)), where t = scale. Returns
// +∞ for |s| >= 1/t.
double discrete_laplace_log_mgf(double s, double scale);

// Returns the half-width δ of an interval around 0. With probability at most beta, the mean of the errors of n =
// `reports` independent reports lies outside ±δ. δ is the infimum over s > 0 of (K(s) + ln(2/β)/n)/s. Here K is an
// upper bound on the logarithm of the moment generating function of one report's error. Every s gives a valid δ, so an
// inexact minimum is valid, too. The function adds 1e-9 of the result to cover rounding. The errors of different
// reports may have different laws if `error` describes each report. Sources: Aldà and Simon 2014, Theorem 6; Bennett
// 1962 for the bounded part. Cost: about 35 evaluations of K. Errors: kInvalidArgument unless reports >= 1 and 0 < beta
// <= 1.
Result<double> chernoff_half_width(const ReportError& error, std::uint64_t reports, double beta);

}  // namespace hearsay::tails
