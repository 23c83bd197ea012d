// The largest margins of a class and its Forster bounds, between what an arrangement shows and what a proof excludes.
#pragma once

#include <cstddef>
#include <vector>

#include "aggregator/bounds/arrangement_margins.h"
#include "aggregator/bounds/averages.h"
#include "aggregator/bounds/sign_matrix.h"
#include "hearsay/result.h"

namespace hearsay::bounds {

// The entries, after equal records and queries are merged, up to which the functions below answer.
inline constexpr std::size_t kMaxBracketEntries = 4096;

struct MarginBracket {
  double low;                     // reached by `arrangement`
  double high;                    // no arrangement exceeds this; check() has verified the proof
  VectorArrangement arrangement;  // unit vectors
};

// γ̄_min(A), or with Average::kClasses the largest γ̃_min. Errors: kLimitExceeded; kInvalidArgument (all queries are
// constant, with kClasses); those of solve(); kInternal (the solver was too inexact for a proof).
Result<MarginBracket> largest_margin(const SignMatrix& matrix, Average average);

// γ̄^ef_min(A): of error-free arrangements alone. Signs that a solution violates are added until none is left, so the
// time depends on how many matter: see error_free_seconds(). Errors: as above.
Result<MarginBracket> largest_error_free_margin(const SignMatrix& matrix);

// About the most that largest_error_free_margin() can take on one core.
double error_free_seconds(const SignMatrix& matrix);

// (4) for the given weights: √M/‖A·diag(q)^½‖. With kClasses the same of the class averages: 2/(√M·‖C·diag(q)^½‖),
// where c_xf is 1/|X_{f,1}| or -1/|X_{f,0}|; that is (4) again if all queries are balanced. `weights`: one for each
// query, not negative, with sum 1; 0 for constant queries with kClasses. By singular values.
double forster_bound(const SignMatrix& matrix, Average average, const std::vector<double>& weights);

struct ForsterBracket {
  double low;                   // forster_bound() for `weights`
  double high;                  // no weights have a larger bound
  std::vector<double> weights;  // q, one for each query
};

// FB(A) = max_q FB_q(A). Errors: as largest_margin().
Result<ForsterBracket> largest_forster_bound(const SignMatrix& matrix, Average average);

// Equal weights for all queries that are not constant.
std::vector<double> equal_weights(const SignMatrix& matrix);

}  // namespace hearsay::bounds
