// The number of users of Aldà and Simon 2014, and the limit for a single query.
#pragma once

#include <cstdint>

#include "hearsay/result.h"

namespace hearsay::tails {

// The numbers of a scheme that Theorem 7 uses, in the paper's units (‖u_x‖ = ‖v_f‖ = 1).
struct PaperScheme {
  // λ of (15). For noise of scale t in ±1 units, λ = t/√d for `literals`, and t/√(2d) in the homogeneous embedding
  // (24).
  // If scales differ between coordinates, λ² = Σ v_j²·λ_j²; the proof of Theorem 6 uses no more.
  double scale;
  double margin;  // γ̃(f)
};

// Returns the users after which Theorem 7's proof does give |ω̂ - ω| <= alpha with probability 1 - beta: the least n
// with 2·exp(-A1·n) + 2·exp(-A2·n) <= β. A1 = α²γ̃²/2 is for the instances (Hoeffding), A2 = min(α²γ̃²/(8λ²), 1) for
// the noise (Theorem 6, which also holds for discrete Laplace noise in ±1 units: see README.md). The result is never
// below (20).
//
// The paper drops the first term. This needs λ >= 1/2 (ε <= 4√d), and even then the sum of the two exceeds β at the n
// of (20). Errors: kInvalidArgument unless 0 < alpha, beta < 1 and scale, margin > 0; kOverflow above 2^53.
Result<std::uint64_t> theorem7_users(const PaperScheme& scheme, double alpha, double beta);

// Returns c²/4 with c = (e^ε+1)/(e^ε-1), the yardstick for schemes that answer many queries from one report. It is the
// variance per report of randomized response to a single yes/no question, for respondents drawn from a population of
// which half say yes. (Among the respondents themselves it is (c²-1)/4, less by the instances' 1/4.) epsilon > 0.
double one_query_limit(double epsilon);

}  // namespace hearsay::tails
