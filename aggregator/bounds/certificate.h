// Proofs that no arrangement of a class has a margin above a bound. The checks do not trust the maker of a proof.
//
// All numbers of a proof are integers below 2^52, so the checks can rely on exact double arithmetic.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "aggregator/bounds/averages.h"
#include "hearsay/result.h"

namespace hearsay::bounds {

// Returns true only if the symmetric matrix of integers below 2^52 is positive semidefinite. False proves nothing.
// Lowers the diagonal by more than all rounding errors, and tries a Cholesky factorisation in floating point. If the
// factorisation runs to the end, the matrix is semidefinite. Source: Rump 2006; Higham 2002, Theorem 10.3.
bool proved_semidefinite(const Eigen::MatrixXd& matrix);

// A proof that no arrangement has min_j ‖Σ_i c_ij·u_i‖/s_j above √(Σ_i diagonal_i / Σ_j weights_j·s_j²). Here c_ij and
// s_j are the coefficients and scales of `Averages`. The proof needs the matrix
//   diag(diagonal) - Σ_j weights_j·c_j·c_jᵀ
// to be positive semidefinite. Why: for the Gram matrix K of unit vectors u_i, Σ diagonal_i = <diag(diagonal), K> >=
// Σ_j weights_j·c_jᵀ·K·c_j.
struct MarginProof {
  std::vector<double> diagonal;  // one for each row
  std::vector<double> weights;   // one for each column, not negative, not all 0
};
// Returns the bound, rounded upwards. Errors: kInvalidArgument if the proof does not hold.
Result<double> check(const Averages& averages, const MarginProof& proof);

// A proof that no error-free arrangement has a smallest row average γ̄ above (Σ_i rows_i + Σ_j columns_j)/(2M·Σ_j
// weights_j), for M records. The proof needs [diag(rows), -B; -Bᵀ, diag(columns)] to be positive semidefinite, with
// b_ij = sign(c_ij)·(|c_ij|·weights_j + slopes_ij). Why: for the unit vectors u_i and v_j, (Σ rows_i + Σ columns_j)/2
// >= Σ b_ij·<u_i, v_j>. In an error-free arrangement, no sign(c_ij)·<u_i, v_j> is negative.
struct ErrorFreeProof {
  std::vector<double> rows;
  std::vector<double> columns;
  // One for each column, not negative, not all 0.
  std::vector<double> weights;
  Eigen::MatrixXd slopes;  // not negative
};
// Returns the bound, rounded upwards. `averages` must be of Average::kRows. Errors: kInvalidArgument if the proof does
// not hold.
Result<double> check(const Averages& averages, const ErrorFreeProof& proof);

}  // namespace hearsay::bounds
