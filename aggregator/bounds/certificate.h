// Proofs that no arrangement of a class has a larger margin. They are checked here, whoever made them.
//
// All numbers of a proof are integers below 2^52, so that double arithmetic on them is exact where it must be.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "aggregator/bounds/averages.h"
#include "hearsay/result.h"

namespace hearsay::bounds {

// True only if the symmetric matrix of integers below 2^52 is positive semidefinite: its Cholesky factorisation in
// floating point, made after a shift that exceeds all rounding, runs to the end (Rump 2006; Higham 2002, Theorem 10.3:
// the factorisation is that of a matrix which differs in entry (i, j) by at most γ√(t_ii·t_jj)). False says nothing.
bool proved_semidefinite(const Eigen::MatrixXd& matrix);

// No arrangement has min_j ‖Σ_i c_ij·u_i‖/s_j above √(Σ_i diagonal_i / Σ_j weights_j·s_j²), if
//   diag(diagonal) - Σ_j weights_j·c_j·c_jᵀ is positive semidefinite.
// For the Gram matrix K of unit vectors u_i: Σ diagonal_i = <diag(diagonal), K> >= Σ_j weights_j·c_jᵀ·K·c_j.
struct MarginProof {
  std::vector<double> diagonal;  // one for each row
  std::vector<double> weights;   // one for each column, not negative, not all 0
};
// The bound, rounded upwards. Errors: kInvalidArgument if the proof does not hold.
Result<double> check(const Averages& averages, const MarginProof& proof);

// No error-free arrangement has a smallest row average γ̄ above (Σ_i rows_i + Σ_j columns_j)/(2M·Σ_j weights_j), if
//   [diag(rows), -B; -Bᵀ, diag(columns)] is positive semidefinite, b_ij = sign(c_ij)·(|c_ij|·weights_j + slopes_ij):
// the Gram matrix of all vectors has (Σ rows_i + Σ columns_j)/2 >= Σ b_ij·<u_i, v_j>, and slopes_ij multiplies what is
// not negative in an error-free arrangement.
struct ErrorFreeProof {
  std::vector<double> rows;
  std::vector<double> columns;
  std::vector<double> weights;  // as above
  Eigen::MatrixXd slopes;       // not negative
};
// `averages` of Average::kRows. Errors: as above.
Result<double> check(const Averages& averages, const ErrorFreeProof& proof);

}  // namespace hearsay::bounds
