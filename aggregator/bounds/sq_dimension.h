// The statistical query dimension of a class under the uniform distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "aggregator/bounds/sign_matrix.h"

namespace hearsay::bounds {

// SQdim(A) is the largest d for which A has d queries such that any two have a correlation of at most 1/d in magnitude.
// The correlation of f and g is the mean of A_xf·A_xg over the records.
struct SqDimension {
  // Any two of the `low` queries in `queries` have a correlation of at most 1/low in magnitude. So SQdim(A) is at least
  // `low`.
  std::size_t low;
  std::size_t high;
  std::vector<std::size_t> queries;  // columns
};

// Finds the exact number if the search takes few steps, and otherwise a lower and an upper bound. If there are more
// than 2048 queries, searches the first 2048. `forster_high` is an upper bound on FB(A), if one is known. Then SQdim(A)
// <= 2·FB(A)², since the Gram matrix of the d queries has a norm below 2M, for M records.
SqDimension sq_dimension(const SignMatrix& matrix, std::optional<double> forster_high);

}  // namespace hearsay::bounds
