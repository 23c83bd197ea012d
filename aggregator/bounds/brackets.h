// Brackets the largest margins of a class and its Forster bounds. An arrangement shows the lower end of a bracket, and
// a proof the upper end.
#pragma once

#include <cstddef>
#include <vector>

#include "aggregator/bounds/arrangement_margins.h"
#include "aggregator/bounds/averages.h"
#include "aggregator/bounds/sign_matrix.h"
#include "hearsay/result.h"

namespace hearsay::bounds {

// The functions below answer only up to this number of matrix entries, after merging equal records and queries.
inline constexpr std::size_t kMaxBracketEntries = 4096;

struct MarginBracket {
  double low;  // reached by `arrangement`
  // No arrangement has a larger margin. check() has verified the proof.
  double high;
  VectorArrangement arrangement;  // unit vectors
};

// Brackets γ̄_min(A), the largest γ̄_min of an arrangement, for Average::kRows, and the largest γ̃_min for
// Average::kClasses. Errors: kLimitExceeded; kInvalidArgument (kClasses, and all queries are constant); those of
// solve(); kInternal (the solver was too inexact for a proof).
Result<MarginBracket> largest_margin(const SignMatrix& matrix, Average average);

// Brackets γ̄^ef_min(A), the largest margin of an error-free arrangement. Starts without constraints on signs. As long
// as a solution has wrong signs, adds constraints for these signs and solves again. So the time depends on how many
// signs matter: see error_free_seconds(). Errors: those of largest_margin().
Result<MarginBracket> largest_error_free_margin(const SignMatrix& matrix);

// Returns about the most seconds that largest_error_free_margin() takes on one core.
double error_free_seconds(const SignMatrix& matrix);

// Returns (4) of Aldà and Simon 2014 for the given weights q: √M/‖A·diag(q)^½‖, for the sign matrix A with M rows. With
// kClasses, returns the same for class averages: 2/(√M·‖C·diag(q)^½‖), where c_xf is 1/|X_{f,1}| for the records
// X_{f,1} that satisfy f, and -1/|X_{f,0}| for the others. If all queries are balanced, the two are equal. `weights`
// has one number for each query. The numbers are not negative and sum to 1. With kClasses, constant queries have weight
// 0. The function computes the bound from singular values.
double forster_bound(const SignMatrix& matrix, Average average, const std::vector<double>& weights);

struct ForsterBracket {
  double low;                   // forster_bound() for `weights`
  double high;                  // no weights have a larger bound
  std::vector<double> weights;  // q, one for each query
};

// Brackets FB(A) = max_q FB_q(A). Errors: as largest_margin().
Result<ForsterBracket> largest_forster_bound(const SignMatrix& matrix, Average average);

// Returns equal weights for all queries that are not constant.
std::vector<double> equal_weights(const SignMatrix& matrix);

}  // namespace hearsay::bounds
