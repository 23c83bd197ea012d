// Arrangements of unit vectors, and their margins.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "aggregator/bounds/averages.h"
#include "aggregator/bounds/sign_matrix.h"

namespace hearsay::bounds {

// Vectors u_x and v_f, one a column. They need not be of unit norm: margins are those of the vectors divided by their
// norms, a zero vector's are 0.
struct VectorArrangement {
  Eigen::MatrixXd records;  // d rows, M columns
  Eigen::MatrixXd queries;  // d rows, N columns
};

// Aldà and Simon 2014, section 2.2, (16) and (17) over the universe.
struct Margins {
  std::vector<double> row_average;                   // γ̄_f
  std::vector<std::optional<double>> class_average;  // γ̃_f; none for a constant query
  double least_row_average;                          // γ̄_min
  std::optional<double> least_class_average;         // γ̃_min; none if all queries are constant
  double least;                                      // γ_min: the arrangement is error-free if it is not negative
};

// The arrangement has the matrix' numbers of vectors.
Margins margins_of(const SignMatrix& matrix, const VectorArrangement& arrangement);

// Theorem 8 with one common scale: every vector is multiplied by one random Gaussian matrix, and all record vectors are
// divided by the largest of their norms (a coordinate of its own pads each to that norm, and is 0 in every query's
// vector). So directions and averages keep their meaning, and the device's vectors have one norm. `dimensions` counts
// the padding. Deterministic in `seed`. dimensions >= 2.
VectorArrangement random_projection(const VectorArrangement& arrangement, int dimensions, std::uint64_t seed);

// The dimension of (22), for the margin γ = γ̃_min of the arrangement that is projected: with probability 1 - beta the
// projection's is at least γ/8. margin > 0, 0 < beta < 1.
double dimensions_for_projection(std::size_t records, std::size_t queries, double margin, double beta);

}  // namespace hearsay::bounds
