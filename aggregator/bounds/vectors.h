// Makes vectors from the Gram matrix that a solver returns.
#pragma once

#include <Eigen/Core>

#include "aggregator/bounds/arrangement_margins.h"
#include "aggregator/bounds/averages.h"
#include "aggregator/bounds/sign_matrix.h"
#include "hearsay/result.h"

namespace hearsay::bounds {

// Checks that a bracket of the class can be found. Errors: kInvalidArgument (no column), kLimitExceeded (more than
// kMaxBracketEntries).
Result<void> check_size(const Averages& averages);

// Returns vectors, one in each column, whose inner products are nearly the entries of `gram`. Leaves out the dimensions
// of eigenvalues that are at most `least` times the largest eigenvalue.
Eigen::MatrixXd vectors_of(const Eigen::MatrixXd& gram, double least = 1e-12);

void normalise(Eigen::MatrixXd& vectors);

// Returns the vectors of all records and queries from the vectors of the merged rows and columns.
VectorArrangement expanded(const SignMatrix& matrix, const Averages& averages, const Eigen::MatrixXd& rows,
                           const Eigen::MatrixXd& columns);

// Returns the least average margin, rounded downwards.
double least_margin(const Margins& margins, Average average);

}  // namespace hearsay::bounds
