// The statistical query dimension of a class under the uniform distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "aggregator/bounds/sign_matrix.h"

namespace hearsay::bounds {

// SQdim(A) is the largest d such that d queries of A have correlations of at most 1/d in magnitude, pair by pair. The
// correlation of f and g is the mean of A_xf·A_xg over the records.
struct SqDimension {
  std::size_t low;  // so many queries with such correlations are `queries`
  std::size_t high;
  std::vector<std::size_t> queries;  // columns
};

// Searches exhaustively while that takes few steps, and greedily beyond; of more than 2048 queries the first.
// `forster_high`: an upper bound on FB(A), if one is known: SQdim(A) <= 2·FB(A)², as the d queries have a Gram matrix
// of norm below 2M.
SqDimension sq_dimension(const SignMatrix& matrix, std::optional<double> forster_high);

}  // namespace hearsay::bounds
