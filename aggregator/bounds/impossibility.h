// Bounds on what locally private schemes can do: how well reports tell the queries of a class apart, and how many users
// every scheme needs. Aldà and Simon 2014, sections 2 to 4.
//
// A scheme sends one ε-private report for each of n users; no report depends on another (Definition 2). For a query f,
// let X_{f,1} be the records that satisfy f, and X_{f,0} the others. The records of one group of n users are drawn from
// X_{f,1}, and those of another group from X_{f,0}. SD is the statistical difference between the n reports of one group
// and the n reports of the other. FB is the Forster bound (brackets.h), with weights q of the queries.
#pragma once

#include <optional>

#include "hearsay/result.h"

namespace hearsay::bounds {

// Lemma 1: returns the least error probability of telling two equally likely distributions apart. `difference` is their
// statistical difference, in [0, 1].
double bayes_error(double difference);

// Returns Theorem 3's U = (e^ε-1)²/FB².
double theorem3_u(double epsilon, double forster);

// Theorem 3, for balanced classes: SD <= 4n·U^{1/3} for queries of total weight 7/8. Returns this bound.
double theorem3_difference(double users, double epsilon, double forster);

// Theorem 4, for classes in which no query has an imbalance above Δ, with the cube root that the paper lost:
// SD <= 2Δn + 4n((e^ε-1)²B)^{1/3}, B = 1/FB² + 2√Δ/FB + Δ. The printed form, without the root, is false.
double theorem4_difference(double users, double epsilon, double forster, double imbalance);

// Returns a bound on E_f SD, the mean over queries f drawn by q: n·sinh(ε/2)/FB. This bound is sharper than the n√U of
// Lemma 4. `class_forster` is a Forster bound of Average::kClasses. The class need not be balanced.
double expected_difference(double users, double epsilon, double class_forster);

// Returns a bound on E_f SD², under the same conditions: n((e^{ε/2}-1)/FB)².
double expected_square(double users, double epsilon, double class_forster);

// Lower bounds on the number of users with which a scheme can be weakly useful with error beta (Definition 6 for a
// fixed n). Weakly useful means: with probability 1 - beta, the estimate ω̂ is within 1/2 of the true fraction ω, both
// for ω = 0 and for ω = 1. Then the test ω̂ >= 1/2 errs with probability beta, so beta >= bayes_error(SD). The bounds
// are real numbers, at least 1.
struct UsersNeeded {
  std::optional<double> theorem3;  // (1-2β)/(4U^{1/3}); none unless the class is balanced
  double theorem4;                 // (1-2β)/(2Δ + 4((e^ε-1)²B)^{1/3})
  double expectation;              // (1-2β)·FB/sinh(ε/2), by expected_difference()
  double hellinger;                // ((1-2β)·FB/(e^{ε/2}-1))², by expected_square()

  double most() const;
};
// Errors: kInvalidArgument unless epsilon > 0, 0 < beta < 1/2, both Forster bounds are positive and 0 <= imbalance <=
// 1.
Result<UsersNeeded> users_needed(double epsilon, double beta, double forster, double class_forster, double imbalance);

}  // namespace hearsay::bounds
