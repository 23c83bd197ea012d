// Computes everything that is known about a class of queries at one ε: bounds, and the users that any scheme needs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "aggregator/bounds/brackets.h"
#include "aggregator/bounds/impossibility.h"
#include "aggregator/bounds/sign_matrix.h"
#include "aggregator/bounds/sq_dimension.h"
#include "hearsay/result.h"

namespace hearsay::bounds {

struct ClassBounds {
  // The largest imbalance of a query.
  double imbalance;
  // FB(A), and the same for class averages. If the class is too large to maximise over q, both are at equal weights,
  // `high` is infinite, and `margins` is empty.
  ForsterBracket forster;
  ForsterBracket class_forster;
  struct Margins {
    MarginBracket row_average;    // γ̄_min(A)
    MarginBracket class_average;  // the largest γ̃_min
    MarginBracket error_free;     // γ̄^ef_min(A)
  };
  std::optional<Margins> margins;
  SqDimension sq_dimension;

  // The subclass of Theorem 5 for which Theorem 4 asks the most users. The whole class if the class is balanced.
  struct Subclass {
    double imbalance;  // Δ
    std::size_t queries;
    double forster;  // FB_q of the subclass
  };
  Subclass almost_balanced;
  UsersNeeded needed;
  // The users after which the arrangement of `margins` is strongly useful with α = 1/2, by the proof
  // of Theorem 7: see tails::theorem7_users(). Infinite above 2^53.
  std::optional<double> users_by_arrangement;
};

// If every query is constant, all margins, Forster bounds and users are 1; averages over both answers are then those
// over the one answer. Errors: kInvalidArgument (epsilon or beta), those of largest_margin() except kLimitExceeded.
Result<ClassBounds> bounds_of(const SignMatrix& matrix, double epsilon, double beta);

// Returns about the most seconds that bounds_of() takes on one core.
double seconds_for_bounds(const SignMatrix& matrix);

}  // namespace hearsay::bounds
