// Computes all bounds of this folder for a class of queries at one ε, and the users that every scheme needs. Theorems
// are those of Aldà and Simon 2014.
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
  // FB(A), the Forster bound for averages over all records, and the Forster bound for class averages. If the class is
  // too large to maximise over q, both bounds are for equal weights, each `high` is infinite, and `margins` is empty.
  ForsterBracket forster;
  ForsterBracket class_forster;
  struct Margins {
    MarginBracket row_average;    // γ̄_min(A)
    MarginBracket class_average;  // the largest γ̃_min
    MarginBracket error_free;     // γ̄^ef_min(A)
  };
  std::optional<Margins> margins;
  SqDimension sq_dimension;

  // A subclass of Theorem 5: the queries with an imbalance of at most Δ. bounds_of() tries a few Δ, and takes the one
  // for which Theorem 4 asks for the most users. If the class is balanced, the subclass is the whole class.
  struct Subclass {
    double imbalance;  // Δ
    std::size_t queries;
    double forster;  // FB_q of the subclass
  };
  Subclass almost_balanced;
  UsersNeeded needed;
  // The number of users with which the arrangement of `margins->class_average` is strongly useful with α = 1/2, by the
  // proof of Theorem 7: see tails::theorem7_users(). The number is infinite if it is above 2^53, and absent if
  // `margins` is.
  std::optional<double> users_by_arrangement;
};

// Computes the bounds. If every query is constant, all margins, Forster bounds and numbers of users are 1. Errors:
// kInvalidArgument (epsilon or beta), those of largest_margin() except kLimitExceeded.
Result<ClassBounds> bounds_of(const SignMatrix& matrix, double epsilon, double beta);

// Returns a rough upper limit of the seconds that bounds_of() takes on one core.
double seconds_for_bounds(const SignMatrix& matrix);

}  // namespace hearsay::bounds
