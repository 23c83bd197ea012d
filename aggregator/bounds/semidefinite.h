// Solves semidefinite programs with the program `csdp` (Debian: coinor-csdp).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::bounds {

// The program: maximise <C, X> over symmetric positive semidefinite X with <A_k, X> = right_sides[k]. X has a dense
// block and a diagonal block. Each matrix is given by the entries of its upper triangle.
struct SemidefiniteProgram {
  struct Entry {
    int matrix;  // 0: C; k + 1: A_k
    bool dense;  // true: in the dense block
    int row;     // from 0
    int column;  // at least `row`; equal to `row` in the diagonal block
    double value;
  };
  int dense_size = 0;
  int diagonal_size = 0;
  std::vector<double> right_sides;
  std::vector<Entry> entries;
};

struct SemidefiniteSolution {
  Eigen::MatrixXd dense;  // the dense block of X
  // y, for which Σ y_k·A_k - C is positive semidefinite, apart from the solver's error.
  std::vector<double> multipliers;
};

// Returns a solution without any proof. Errors: kUnsupported (`csdp` is not installed), kIo, kInternal (`csdp`
// failed).
Result<SemidefiniteSolution> solve(const SemidefiniteProgram& program);

// Returns roughly how many seconds solve() takes, on one core with the reference BLAS.
double seconds_for(std::size_t dense_size, std::size_t constraints);

}  // namespace hearsay::bounds
