// Brackets the largest margins of a class and its Forster bounds. An arrangement reaches the lower end for a margin,
// and a proof shows that no arrangement exceeds the upper end.
#pragma once

#include <cstddef>
#include <vector>

#include "aggregator/bounds/arrangement_margins.h"
#include "aggregator/bounds/averages.h"
#include "aggregator/bounds/sign_matrix.h"
#include "hearsay/result.h"

namespace hearsay::bounds {

// The most matrix entries, after merging equal records and queries, for which the functions below find a bracket.
inline constexpr std::size_t kMaxBracketEntries = 4096;

struct MarginBracket {
  double low;  // reached by `arrangement`
  // No arrangement has a larger margin. check() has verified the proof.
  double high;
  VectorArrangement arrangement;  // unit vectors
};

// Brackets the largest margin of an arrangement: γ̄_min(A) with Average::kRows, and the largest γ̃_min with
// Average::kClasses. Errors: kLimitExceeded (more than kMaxBracketEntries); kInvalidArgument (kClasses, and all queries
// are constant); those of solve(); kInternal (the solver was too inexact for a proof).
Result<MarginBracket> largest_margin(const SignMatrix& matrix, Average average);

// Brackets γ̄^ef_min(A), the largest margin of an error-free arrangement. Starts without constraints on signs. If a
// solution has wrong signs, adds constraints for these signs and solves again. So the time depends on the number of
// such signs. Errors: those of largest_margin().
Result<MarginBracket> largest_error_free_margin(const SignMatrix& matrix);

// Returns a rough upper limit of the seconds that largest_error_free_margin() takes on one core.
double error_free_seconds(const SignMatrix& matrix);

// Returns the bound (4) of Aldà and Simon 2014 for the weights q: √M/‖A·diag(q)^½‖, for the sign matrix A with M rows.
// With kClasses, returns the bound for class averages: 2/(√M·‖C·diag(q)^½‖). The entry c_xf of C is 1/|X_{f,1}| for the
// records X_{f,1} that satisfy f, and -1/|X_{f,0}| for the other records X_{f,0}. If all queries are balanced, both
// bounds are equal. `weights` has one number for each query. The numbers are not negative and sum to 1. With kClasses,
// constant queries have weight 0.
double forster_bound(const SignMatrix& matrix, Average average, const std::vector<double>& weights);

struct ForsterBracket {
  double low;                   // forster_bound() for `weights`
  double high;                  // no weights give a larger bound
  std::vector<double> weights;  // q, one for each query
};

// Brackets FB(A), the largest forster_bound() of any weights. Errors: those of largest_margin().
Result<ForsterBracket> largest_forster_bound(const SignMatrix& matrix, Average average);

// Returns equal weights for all queries that are not constant.
std::vector<double> equal_weights(const SignMatrix& matrix);

}  // namespace hearsay::bounds
