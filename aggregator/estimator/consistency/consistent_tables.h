// Finds the point nearest to given estimates that is consistent: some tables of fractions have these means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::estimator {

// Marginal tables that share variables. A table over some bits has a cell for every pattern k of these bits,
//   p_k = (1 + Σ_{i>0} (-1)^popcount(i & k)·m[variable[i]])/K,   K = variable.size(), a power of 2,
// and the variables are the means of the characters of these bits. Tables with common attributes have common variables,
// so these tables agree there, and each sums to 1.
struct TableShape {
  // The variable of the i-th character; variable[0] is not used.
  std::vector<std::uint32_t> variable;
  // For each attribute of the table: its bits, lowest first in a pattern's number, and how many patterns are values.
  // The other patterns, the largest, are padding.
  struct Axis {
    std::uint32_t bits;
    std::uint32_t values;
  };
  std::vector<Axis> axes;
  // Returns the place of an axis's lowest bit in a pattern's number; for axes.size(), the number of bits.
  std::uint32_t offset(std::size_t axis) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < axis; ++i) bits += axes[i].bits;
    return bits;
  }
};

// Estimates of the variables, their variances (positive), and the tables. Every variable is in some table. A table that
// has one bit of an attribute has all its bits.
struct TableProblem {
  std::vector<double> estimate;
  std::vector<double> variance;
  std::vector<TableShape> tables;
};

struct ConsistentPoint {
  std::vector<double> value;  // of the variables
  // Σ (value - estimate)²/variance; and a bound on Σ (value - optimum)²/variance, by the duality gap.
  double distance;
  double error;
};

inline constexpr std::size_t kMaxTableCells = std::size_t{1} << 18U;

// Minimises Σ (m - estimate)²/variance over all m for which no cell is negative and padding is empty. If all values are
// equally likely, m is such a point, so there is one. The truth is such a point too, so in the same norm the result is
// not farther from the truth than the estimate. Consistent estimates are returned unchanged.
//
// Whatever the error, the result's cells are non-negative and its padding is empty up to 1e-12. The error is at most
// 1e-10·(1 + distance): each variable is within 1e-5·√(1 + distance) standard errors of the optimum.
//
// Method: alternating directions (ADMM). The tables' transforms are orthogonal, so each step is explicit. From time to
// time the point is repaired to an exactly consistent one, whose duality gap with the present multipliers bounds the
// error. Deterministic. Cost: fast Walsh–Hadamard transforms of the tables, 100 to 200 times for small tables, 2,000
// times for 2^18 cells.
//
// Errors: kLimitExceeded (more than kMaxTableCells cells; no convergence within 2^31 cell updates), kCancelled (`stop`
// was requested; looked at once an iteration, within milliseconds).
Result<ConsistentPoint> nearest_consistent(const TableProblem& problem, const std::stop_token& stop = {});

// Returns all cells of a table for given variables.
std::vector<double> cells_of(const TableShape& table, const std::vector<double>& variables);

}  // namespace hearsay::estimator
