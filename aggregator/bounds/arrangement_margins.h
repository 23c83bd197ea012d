// Arrangements of unit vectors, and their margins. Theorems and numbers of formulas are those of Aldà and Simon 2014.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "aggregator/bounds/averages.h"
#include "aggregator/bounds/sign_matrix.h"

namespace hearsay::bounds {

// Vectors u_x for records and v_f for queries, one in each column. The vectors need not be unit vectors: each vector is
// divided by its norm before a margin is computed. The margins of a zero vector are 0.
struct VectorArrangement {
  Eigen::MatrixXd records;  // one column for each record
  Eigen::MatrixXd queries;  // one column for each query
};

// The margins of section 2.2, (16) and (17), over all records. f stands for a query.
struct Margins {
  std::vector<double> row_average;                   // γ̄_f
  std::vector<std::optional<double>> class_average;  // γ̃_f; none for a constant query
  double least_row_average;                          // γ̄_min
  std::optional<double> least_class_average;         // γ̃_min; none if all queries are constant
  // γ_min, the least margin of one pair of record and query. The arrangement is error-free if γ_min is not negative.
  double least;
};

// Returns the margins. The arrangement must have one record vector for each row of the matrix, and one query vector for
// each column.
Margins margins_of(const SignMatrix& matrix, const VectorArrangement& arrangement);

// Projects an arrangement by Theorem 8. Multiplies every vector by one random Gaussian matrix, and divides all record
// vectors by the largest of their norms. One further coordinate then pads each record vector to the norm 1. This
// coordinate is 0 in every query's vector. `dimensions` counts the further coordinate, and is at least 2. The same
// `seed` gives the same result.
VectorArrangement random_projection(const VectorArrangement& arrangement, int dimensions, std::uint64_t seed);

// Returns the number of dimensions that (22) asks for. `margin` is γ̃_min of the arrangement before the projection.
// With probability 1 - beta, γ̃_min of the projection is then at least margin/8. margin > 0, 0 < beta < 1.
double dimensions_for_projection(std::size_t records, std::size_t queries, double margin, double beta);

}  // namespace hearsay::bounds
