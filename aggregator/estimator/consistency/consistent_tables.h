// The point nearest to given estimates among those that are the means of some tables of fractions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::estimator {

// Marginal tables that share variables. A table over some bits has a cell for every pattern k of them,
//   p_k = (1 + Σ_{i>0} (-1)^popcount(i & k)·m[variable[i]])/K,   K = variable.size(), a power of 2,
// and the variables are the means of the characters of these bits. Tables with common attributes have common variables,
// so they agree there, and each sums to 1.
struct TableShape {
  std::vector<std::uint32_t> variable;  // of the i-th character; variable[0] is not used
  // Per attribute of the table: bits, lowest first in a pattern's number, and how many of their patterns are values;
  // the others, padding, are the largest.
  struct Axis {
    std::uint32_t bits;
    std::uint32_t values;
  };
  std::vector<Axis> axes;
  // The place of an axis's lowest bit in a pattern's number; for axes.size(), the number of bits.
  std::uint32_t offset(std::size_t axis) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < axis; ++i) bits += axes[i].bits;
    return bits;
  }
};

// Estimates of the variables, with their variances (positive), and the tables. Every variable is in some table. A table
// that has a bit of an attribute has all of it.
struct TableProblem {
  std::vector<double> estimate;
  std::vector<double> variance;
  std::vector<TableShape> tables;
};

struct ConsistentPoint {
  std::vector<double> value;  // of the variables
  // Σ (value - estimate)²/variance, and a bound on Σ (value - optimum)²/variance by the duality gap.
  double distance;
  double error;
};

inline constexpr std::size_t kMaxTableCells = std::size_t{1} << 18U;

// Minimises Σ (m - estimate)²/variance over the m for which no cell is negative and padding is empty. Such m exist (all
// values equally likely), and the truth is one: so the result is not farther from it than the estimate in the same
// norm. Estimates that are already consistent are returned as they are.
//
// The cells of the result are non-negative and padding is empty up to 1e-12, whatever the error; the error is at most
// 1e-10·(1 + distance), that is each variable is within 1e-5·√(1 + distance) standard errors of the optimum.
// Method: alternating directions (ADMM; the tables' transforms are orthogonal, so each step is explicit), then every so
// often a repair to an exactly consistent point and its duality gap with the multipliers at hand. Deterministic. Cost:
// fast Walsh–Hadamard transforms of the tables, 100 to 200 times for small ones, 2,000 times for 2^18 cells. Errors:
// kLimitExceeded (more than kMaxTableCells cells; no convergence within 2^31 cell updates), kCancelled (`stop` was
// requested, which is looked at once an iteration: milliseconds).
Result<ConsistentPoint> nearest_consistent(const TableProblem& problem, const std::stop_token& stop = {});

// All cells of a table for given variables.
std::vector<double> cells_of(const TableShape& table, const std::vector<double>& variables);

}  // namespace hearsay::estimator
