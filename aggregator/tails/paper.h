// Computes the number of users that Theorem 7 of Aldà and Simon 2014 needs, and the variance limit for a single query.
#pragma once

#include <cstdint>

#include "hearsay/result.h"

namespace hearsay::tails {

// The two numbers of a scheme that Theorem 7 uses, in the paper's units (‖u_x‖ = ‖v_f‖ = 1).
struct PaperScheme {
  // The noise scale λ of (15). If coordinates are ±1 and have noise of scale t, then λ = t/√d for `literals`, and λ =
  // t/√(2d) in the homogeneous embedding (24).
  // If scales differ between coordinates, λ² = Σ v_j²·λ_j², where v is the query's unit vector; see README.md.
  double scale;
  double margin;  // γ̃(f)
};

// Returns the number of users for which the proof of Theorem 7 gives |ω̂ - ω| <= alpha with probability 1 - beta: the
// least n with 2·exp(-A1·n) + 2·exp(-A2·n) <= beta. A1 = α²γ̃²/2 is for the instances (Hoeffding). A2 =
// min(α²γ̃²/(8λ²), 1) is for the noise (Theorem 6, which also holds for discrete Laplace noise: see README.md). The
// result is at least the n of (20).
//
// Deviation: the paper drops the term with A1. Dropping this term needs λ >= 1/2 (ε <= 4√d), and even then the sum
// exceeds β at the n of (20). Errors: kInvalidArgument unless 0 < alpha, beta < 1 and scale, margin > 0; kOverflow
// (more than 2^53 users).
Result<std::uint64_t> theorem7_users(const PaperScheme& scheme, double alpha, double beta);

// Returns c²/4 with c = (e^ε+1)/(e^ε-1). This is the yardstick for schemes that answer many queries from one report.
// c²/4 is the variance per report of randomized response to a single yes/no question, for respondents drawn from a
// population of which half say yes. (For the fraction among the respondents themselves, the variance is (c²-1)/4.)
// epsilon must be above 0.
double one_query_limit(double epsilon);

}  // namespace hearsay::tails
