// The variable is G, the Gram matrix of all vectors u_x of records and v_f of queries. c_ij are the coefficients of
// `Averages`, sign_ij their signs, and M is the number of records. The program maximises t subject to
//   Σ_i |c_ij|·sign_ij·G_ij/M >= t for all j, sign_ij·G_ij >= 0, and a unit diagonal of G.
// The program contains only those sign constraints that an earlier solution violated.
#include <algorithm>
#include <cmath>

#include "aggregator/bounds/brackets.h"
#include "aggregator/bounds/certificate.h"
#include "aggregator/bounds/semidefinite.h"
#include "aggregator/bounds/vectors.h"
#include "common/base/try.h"

namespace hearsay::bounds {
namespace {

struct Pair {
  Eigen::Index row;
  Eigen::Index column;
};

double sign_of(const Averages& averages, const Pair& pair) {
  return averages.coefficients(pair.row, pair.column) < 0 ? -1 : 1;
}

// The constraints in their order: the diagonal, the averages, the signs.
SemidefiniteProgram error_free_program(const Averages& averages, const std::vector<Pair>& signs) {
  using Entry = SemidefiniteProgram::Entry;
  const auto rows = static_cast<int>(averages.rows());
  const auto columns = static_cast<int>(averages.columns());
  SemidefiniteProgram program{rows + columns, columns + 1 + static_cast<int>(signs.size()), {}, {}};
  program.entries.push_back(Entry{0, false, columns, columns, 1});
  for (int i = 0; i < rows + columns; ++i) {
    program.right_sides.push_back(1);
    program.entries.push_back(Entry{i + 1, true, i, i, 1});
  }
  for (int j = 0; j < columns; ++j) {
    program.right_sides.push_back(0);
    const auto constraint = static_cast<int>(program.right_sides.size());
    for (int i = 0; i < rows; ++i) {
      const double share = averages.coefficients(i, j) / static_cast<double>(averages.records);
      program.entries.push_back(Entry{constraint, true, i, rows + j, share / 2});
    }
    program.entries.push_back(Entry{constraint, false, j, j, -1});
    program.entries.push_back(Entry{constraint, false, columns, columns, -1});
  }
  int slack = columns + 1;
  for (const Pair& pair : signs) {
    program.right_sides.push_back(0);
    const auto constraint = static_cast<int>(program.right_sides.size());
    const auto row = static_cast<int>(pair.row);
    const auto column = static_cast<int>(pair.column);
    program.entries.push_back(Entry{constraint, true, row, rows + column, sign_of(averages, pair) / 2});
    program.entries.push_back(Entry{constraint, false, slack, slack, -1});
    ++slack;
  }
  return program;
}

std::vector<Pair> violated(const Averages& averages, const Eigen::MatrixXd& gram, const Eigen::MatrixXi& present) {
  constexpr double kTolerance = 1e-7;
  std::vector<Pair> pairs;
  const Eigen::Index rows = averages.coefficients.rows();
  for (Eigen::Index j = 0; j < averages.coefficients.cols(); ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      const Pair pair{i, j};
      if (present(i, j) == 0 && sign_of(averages, pair) * gram(i, rows + j) < -kTolerance) pairs.push_back(pair);
    }
  }
  return pairs;
}

// Rounds the multipliers to integers, and raises the diagonal until the proof's matrix is semidefinite.
Result<double> proved_error_free(const Averages& averages, const std::vector<Pair>& signs,
                                 const std::vector<double>& multipliers) {
  const std::size_t rows = averages.rows();
  const std::size_t columns = averages.columns();
  // In a solution, the diagonal sums to at most 1, and the weights of the averages sum to 1.
  constexpr double kFactor = 0x1p38;
  const double per_record = kFactor / static_cast<double>(averages.records);
  ErrorFreeProof proof;
  proof.slopes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  for (std::size_t j = 0; j < columns; ++j) {
    proof.weights.push_back(std::round(std::max(0.0, -multipliers[rows + columns + j]) * per_record));
  }
  for (std::size_t k = 0; k < signs.size(); ++k) {
    proof.slopes(signs[k].row, signs[k].column) =
        std::round(std::max(0.0, -multipliers[rows + 2 * columns + k]) * kFactor);
  }
  for (double raise = 1e-9; raise < 0.1; raise *= 4) {
    const auto entry_of = [&](std::size_t i) {
      const double entry = 2 * std::max(0.0, multipliers[i]);
      return std::ceil((entry * (1 + raise) + raise / static_cast<double>(rows + columns)) * kFactor);
    };
    proof.rows.clear();
    proof.columns.clear();
    for (std::size_t i = 0; i < rows; ++i) proof.rows.push_back(entry_of(i));
    for (std::size_t j = 0; j < columns; ++j) proof.columns.push_back(entry_of(rows + j));
    const Result<double> bound = check(averages, proof);
    if (bound) return bound;
  }
  return Error{ErrorCode::kInternal, "csdp was too inexact to prove the upper bound of the error-free margin"};
}

// Removes slightly wrong signs: mixes the vectors with the arrangement u_x = e_x (unit vectors), v_f = Σ_x A_xf·e_x/√m,
// for m merged records. In this arrangement all margins are 1/√m. The old vectors get the factor √(1 - part), the new
// vectors √part.
void mix(Eigen::MatrixXd& rows, Eigen::MatrixXd& columns, const Averages& averages, double part) {
  const Eigen::Index size = rows.rows();
  const Eigen::Index count = rows.cols();
  rows *= std::sqrt(1 - part);
  columns *= std::sqrt(1 - part);
  rows.conservativeResize(size + count, Eigen::NoChange);
  columns.conservativeResize(size + count, Eigen::NoChange);
  rows.bottomRows(count) = std::sqrt(part) * Eigen::MatrixXd::Identity(count, count);
  columns.bottomRows(count) =
      std::sqrt(part / static_cast<double>(count)) * averages.coefficients.array().sign().matrix();
}

}  // namespace

double error_free_seconds(const SignMatrix& matrix) {
  const Averages averages = averages_of(matrix, Average::kRows);
  // The estimate is for kRounds rounds with half of all sign constraints.
  constexpr double kRounds = 2;
  return kRounds * seconds_for(averages.rows() + averages.columns(),
                               averages.rows() + 2 * averages.columns() + averages.rows() * averages.columns() / 2);
}

Result<MarginBracket> largest_error_free_margin(const SignMatrix& matrix) {
  const Averages averages = averages_of(matrix, Average::kRows);
  HEARSAY_CHECK_OK(check_size(averages));
  const auto rows = static_cast<Eigen::Index>(averages.rows());
  std::vector<Pair> signs;
  Eigen::MatrixXi present = Eigen::MatrixXi::Zero(rows, static_cast<Eigen::Index>(averages.columns()));
  while (true) {
    HEARSAY_TRY(const SemidefiniteSolution solution, solve(error_free_program(averages, signs)));
    const std::vector<Pair> more = violated(averages, solution.dense, present);
    if (!more.empty()) {
      for (const Pair& pair : more) present(pair.row, pair.column) = 1;
      signs.insert(signs.end(), more.begin(), more.end());
      continue;
    }
    HEARSAY_TRY(const double high, proved_error_free(averages, signs, solution.multipliers));
    Eigen::MatrixXd vectors = vectors_of(solution.dense);
    normalise(vectors);
    for (double part = 1e-12; part < 1; part *= 4) {
      Eigen::MatrixXd row_vectors = vectors.leftCols(rows);
      Eigen::MatrixXd column_vectors = vectors.rightCols(vectors.cols() - rows);
      mix(row_vectors, column_vectors, averages, part);
      VectorArrangement arrangement = expanded(matrix, averages, row_vectors, column_vectors);
      const Margins margins = margins_of(matrix, arrangement);
      constexpr double kRounding = 1e-14;
      if (margins.least < kRounding) continue;
      return MarginBracket{least_margin(margins, Average::kRows), high, std::move(arrangement)};
    }
    return Error{ErrorCode::kInternal, "csdp was too inexact to find an error-free arrangement"};
  }
}

}  // namespace hearsay::bounds
