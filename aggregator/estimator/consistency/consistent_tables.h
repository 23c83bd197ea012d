// Replaces estimated means by the nearest means that tables of fractions can have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::estimator {

// One of several tables that share variables. A table over some bits has a cell for every pattern k of these bits:
//   p_k = (1 + Σ_{i>0} (-1)^popcount(i & k)·m[variable[i]])/K, K = variable.size(), a power of 2.
// The variables m are the means of the characters (the parities, as ±1) of these bits. Each table sums to 1. Tables
// with common attributes have common variables, so they agree on these attributes.
struct TableShape {
  // The number of the i-th character's variable; variable[0] is not used.
  std::vector<std::uint32_t> variable;
  // For each attribute of the table: how many bits a value has, and how many patterns of these bits are values.
  // Patterns from `values` on are padding: they stand for no value. The first attribute has the lowest bits of a
  // pattern's number.
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

// Estimates of the variables, their variances (positive), and the tables. Every variable is in at least one table. If a
// table has one bit of an attribute, the table has all bits of the attribute.
struct TableProblem {
  std::vector<double> estimate;
  std::vector<double> variance;
  std::vector<TableShape> tables;
};

struct ConsistentPoint {
  std::vector<double> value;  // the values of the variables
  // `distance` is Σ (value - estimate)²/variance. `error` is a bound on Σ (value - optimum)²/variance, from the duality
  // gap.
  double distance;
  double error;
};

inline constexpr std::size_t kMaxTableCells = std::size_t{1} << 18U;

// Minimises Σ (m - estimate)²/variance over all consistent m: those for which no cell is negative and padding is empty.
// The truth is consistent, too. So in the norm of this sum, the exact optimum is not farther from the truth than the
// estimate. Consistent estimates are returned unchanged.
//
// The result's cells are non-negative and its padding is empty, up to 1e-12. The error is at most 1e-10·(1 + distance).
// So each variable is within 1e-5·√(1 + distance) standard errors of the optimum.
//
// Method: the alternating direction method of multipliers (ADMM). From time to time the function makes the current
// point exactly consistent. The duality gap between this point and the multipliers bounds the error. Deterministic.
// Cost: each iteration transforms every table.
//
// Errors: kLimitExceeded (more than kMaxTableCells cells; no convergence within 2^31 cell updates or within 50,000
// iterations), kCancelled (`stop` was requested; the function checks in each iteration, every few milliseconds).
Result<ConsistentPoint> nearest_consistent(const TableProblem& problem, const std::stop_token& stop = {});

// Returns all cells of a table for given variables.
std::vector<double> cells_of(const TableShape& table, const std::vector<double>& variables);

}  // namespace hearsay::estimator
