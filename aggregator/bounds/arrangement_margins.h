// Arrangements of unit vectors, and their margins.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "aggregator/bounds/averages.h"
#include "aggregator/bounds/sign_matrix.h"

namespace hearsay::bounds {

// Vectors u_x for records and v_f for queries, one in each column. They need not be unit vectors: each vector is
// divided by its norm before a margin is computed. The margins of a zero vector are 0.
struct VectorArrangement {
  Eigen::MatrixXd records;  // d rows, M columns
  Eigen::MatrixXd queries;  // d rows, N columns
};

// The margins of Aldà and Simon 2014, section 2.2, (16) and (17), over all records.
struct Margins {
  std::vector<double> row_average;                   // γ̄_f
  std::vector<std::optional<double>> class_average;  // γ̃_f; none for a constant query
  double least_row_average;                          // γ̄_min
  std::optional<double> least_class_average;         // γ̃_min; none if all queries are constant
  // γ_min. The arrangement is error-free if this is not negative.
  double least;
};

// Returns the margins. The arrangement must have one record vector for each row of the matrix, and one query vector for
// each column.
Margins margins_of(const SignMatrix& matrix, const VectorArrangement& arrangement);

// Projects an arrangement by Theorem 8, with one common scale. Multiplies every vector by one random Gaussian matrix,
// and divides all record vectors by the largest of their norms. One further coordinate pads each record vector to that
// norm. This coordinate is 0 in every query's vector. So directions and averages keep their meaning, and all record
// vectors have one norm. `dimensions` counts the padding, and is at least 2. The same `seed` gives the same result.
VectorArrangement random_projection(const VectorArrangement& arrangement, int dimensions, std::uint64_t seed);

// Returns the dimension of (22), where `margin` is γ̃_min of the arrangement before the projection. The
// γ̃_min of the projection is at least margin/8 with probability 1 - beta. margin > 0, 0 < beta < 1.
double dimensions_for_projection(std::size_t records, std::size_t queries, double margin, double beta);

}  // namespace hearsay::bounds
