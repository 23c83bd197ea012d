// The averages that make up a margin, after merging equal records and equal queries.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/bounds/sign_matrix.h"

namespace hearsay::bounds {

// How a query's margin averages over the records.
enum class Average : std::uint8_t {
  kRows,    // γ̄_f: over all records
  kClasses  // γ̃_f: over the records that satisfy the query, over the others, then over these two means
};

// In an arrangement of unit vectors u_x, the average margin of query j is at most ‖Σ_i coefficients(i,
// j)·u_i‖/scales[j]. Equality holds if the vector of query j has the direction of this sum. Row i stands for all
// records x with row_of[x] == i. The vector of such a record is row_sign[x]·u_i. Records that are equal, or each
// other's negation, may share a vector, because the norm is convex.
struct Averages {
  std::size_t records;              // M
  Eigen::MatrixXd coefficients;     // integers
  std::vector<double> scales;       // positive integers
  std::vector<std::size_t> row_of;  // one for each record
  std::vector<int> row_sign;        // 1 or -1
  // One for each query; kNone for a constant query if the average is kClasses.
  std::vector<std::size_t> column_of;
  std::vector<std::size_t> row_weights;  // the number of records of each row
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t rows() const { return row_weights.size(); }
  std::size_t columns() const { return scales.size(); }
};

// Merges a query with its negation into one column. With kClasses, leaves out constant queries, which have no γ̃. Then
// there may be no columns at all.
Averages averages_of(const SignMatrix& matrix, Average average);

}  // namespace hearsay::bounds
