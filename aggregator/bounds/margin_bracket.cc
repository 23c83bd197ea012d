// The variable is K, the Gram matrix of the records' vectors u_x. c_xf and s_f are the coefficients and scales of
// `Averages`. For fixed u the best v_f has the direction of Σ_x c_xf·u_x, so
//   (largest margin)² = max { t : cᵀ_f·K·c_f >= s_f²·t for all f, K_xx = 1, K positive semidefinite },
// with the dual min { Σ d_x : diag(d) - Σ_f q_f·c_f·c_fᵀ/s_f² positive semidefinite, q a probability vector }.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "aggregator/bounds/brackets.h"
#include "aggregator/bounds/certificate.h"
#include "aggregator/bounds/semidefinite.h"
#include "aggregator/bounds/vectors.h"
#include "common/base/number_text.h"
#include "common/base/try.h"

namespace hearsay::bounds {
namespace {

Eigen::MatrixXd scaled_columns(const Averages& averages) {
  Eigen::MatrixXd columns = averages.coefficients;
  for (std::size_t j = 0; j < averages.columns(); ++j) columns.col(static_cast<Eigen::Index>(j)) /= averages.scales[j];
  return columns;
}

// The program maximises t subject to c_jᵀ·K·c_j - t - slack_j = 0, and either K_ii = 1 for all i, or tr K = 1. The
// multipliers of the first constraints are -q. `columns` must be scaled so that t is at most about 1.
SemidefiniteProgram program_of(const Eigen::MatrixXd& columns, bool unit_vectors) {
  using Entry = SemidefiniteProgram::Entry;
  const auto rows = static_cast<int>(columns.rows());
  const auto count = static_cast<int>(columns.cols());
  SemidefiniteProgram program{rows, count + 1, {}, {}};
  program.entries.push_back(Entry{0, false, count, count, 1});
  for (int j = 0; j < count; ++j) {
    program.right_sides.push_back(0);
    for (int a = 0; a < rows; ++a) {
      for (int b = a; b < rows; ++b) {
        program.entries.push_back(Entry{j + 1, true, a, b, columns(a, j) * columns(b, j)});
      }
    }
    program.entries.push_back(Entry{j + 1, false, j, j, -1});
    program.entries.push_back(Entry{j + 1, false, count, count, -1});
  }
  for (int i = 0; i < rows; ++i) {
    if (unit_vectors || i == 0) program.right_sides.push_back(1);
    program.entries.push_back(Entry{static_cast<int>(program.right_sides.size()), true, i, i, 1});
  }
  return program;
}

// Returns the arrangement of the solution, with few dimensions. An interior-point method leaves small eigenvalues that
// should be 0. So this function leaves out dimensions that together cost at most a millionth of the margin.
MarginBracket reached_margin(const SignMatrix& matrix, const Averages& averages, Average average,
                             const Eigen::MatrixXd& columns, const Eigen::MatrixXd& gram) {
  const auto with_cut = [&](double least) {
    Eigen::MatrixXd rows = vectors_of(gram, least);
    normalise(rows);
    Eigen::MatrixXd best = rows * columns;
    normalise(best);
    VectorArrangement arrangement = expanded(matrix, averages, rows, best);
    const double low = least_margin(margins_of(matrix, arrangement), average);
    return MarginBracket{low, 0, std::move(arrangement)};
  };
  constexpr double kLoss = 1e-6;
  MarginBracket whole = with_cut(1e-12);
  for (const double least : {1e-4, 1e-6, 1e-8, 1e-10}) {
    MarginBracket fewer = with_cut(least);
    if (fewer.low >= whole.low * (1 - kLoss)) return fewer;
  }
  return whole;
}

// Makes a MarginProof, whose numbers must be integers, and returns its bound. Multiplies all numbers by one factor,
// rounds them, and raises the diagonal until the proof's matrix is semidefinite.
Result<double> proved_margin(const Averages& averages, const Eigen::VectorXd& diagonal,
                             const Eigen::VectorXd& weights) {
  double largest = 0;
  for (Eigen::Index j = 0; j < weights.size(); ++j) {
    const double most = averages.coefficients.col(j).cwiseAbs().maxCoeff();
    largest += weights[j] * most * most;
  }
  largest = std::max(largest, diagonal.maxCoeff());
  const double factor = std::exp2(std::floor(std::log2(0x1p50 / largest)));
  MarginProof proof;
  for (const double weight : weights) proof.weights.push_back(std::round(weight * factor));
  for (double raise = 1e-9; raise < 0.1; raise *= 4) {
    proof.diagonal.clear();
    for (const double entry : diagonal) {
      proof.diagonal.push_back(std::ceil((entry + raise * (entry + diagonal.mean())) * factor));
    }
    const Result<double> bound = check(averages, proof);
    if (bound) return bound;
  }
  return Error{ErrorCode::kInternal, "csdp was too inexact to prove the upper bound of the margin"};
}

}  // namespace

Result<void> check_size(const Averages& averages) {
  if (averages.columns() == 0) {
    return Error{ErrorCode::kInvalidArgument, "every query of the class has the same answer for all records"};
  }
  if (averages.rows() * averages.columns() <= kMaxBracketEntries) return {};
  return Error{ErrorCode::kLimitExceeded, "the class has " + counted(averages.rows(), "different record") + " and " +
                                              with_separators(averages.columns()) +
                                              " different queries: margins are computed for at most " +
                                              with_separators(kMaxBracketEntries) + " pairs"};
}

Eigen::MatrixXd vectors_of(const Eigen::MatrixXd& gram, double least) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  const Eigen::VectorXd& values = solver.eigenvalues();
  const double cut = least * std::max(values.maxCoeff(), 0.0);
  Eigen::Index first = 0;
  while (first + 1 < values.size() && values[first] <= cut) ++first;
  const Eigen::Index kept = values.size() - first;
  return values.tail(kept).cwiseMax(0).cwiseSqrt().asDiagonal() * solver.eigenvectors().rightCols(kept).transpose();
}

void normalise(Eigen::MatrixXd& vectors) {
  for (Eigen::Index i = 0; i < vectors.cols(); ++i) {
    const double norm = vectors.col(i).norm();
    if (norm > 0) {
      vectors.col(i) /= norm;
    } else {
      vectors(0, i) = 1;
    }
  }
}

VectorArrangement expanded(const SignMatrix& matrix, const Averages& averages, const Eigen::MatrixXd& rows,
                           const Eigen::MatrixXd& columns) {
  VectorArrangement result{Eigen::MatrixXd(rows.rows(), static_cast<Eigen::Index>(matrix.rows())),
                           Eigen::MatrixXd::Zero(rows.rows(), static_cast<Eigen::Index>(matrix.columns()))};
  for (std::size_t x = 0; x < matrix.rows(); ++x) {
    result.records.col(static_cast<Eigen::Index>(x)) =
        averages.row_sign[x] * rows.col(static_cast<Eigen::Index>(averages.row_of[x]));
  }
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    const auto place = static_cast<Eigen::Index>(f);
    if (averages.column_of[f] == Averages::kNone) {
      result.queries(0, place) = 1;  // a constant query: any vector fits
    } else {
      // The first coefficient of a column is positive, so a query may be the negation of its column.
      result.queries.col(place) = matrix(0, f) * columns.col(static_cast<Eigen::Index>(averages.column_of[f]));
    }
  }
  return result;
}

double least_margin(const Margins& margins, Average average) {
  // kRounding exceeds the relative rounding error of norms and of sums of at most 2^22 terms.
  constexpr double kRounding = 1e-9;
  const double least = average == Average::kRows ? margins.least_row_average : margins.least_class_average.value_or(0);
  return least * (1 - kRounding);
}

Result<MarginBracket> largest_margin(const SignMatrix& matrix, Average average) {
  const Averages averages = averages_of(matrix, average);
  HEARSAY_CHECK_OK(check_size(averages));
  const Eigen::MatrixXd columns = scaled_columns(averages);
  HEARSAY_TRY(const SemidefiniteSolution solution, solve(program_of(columns, true)));

  MarginBracket bracket = reached_margin(matrix, averages, average, columns, solution.dense);

  Eigen::VectorXd diagonal(columns.rows());
  Eigen::VectorXd weights(columns.cols());
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    const double scale = averages.scales[static_cast<std::size_t>(j)];
    weights[j] = std::max(0.0, -solution.multipliers[static_cast<std::size_t>(j)]) / (scale * scale);
  }
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    diagonal[i] = std::max(0.0, solution.multipliers[static_cast<std::size_t>(columns.cols() + i)]);
  }
  HEARSAY_TRY(bracket.high, proved_margin(averages, diagonal, weights));
  return bracket;
}

double forster_bound(const SignMatrix& matrix, Average average, const std::vector<double>& weights) {
  const Averages averages = averages_of(matrix, average);
  const Eigen::MatrixXd columns = scaled_columns(averages);
  Eigen::VectorXd merged = Eigen::VectorXd::Zero(columns.cols());
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    if (averages.column_of[f] != Averages::kNone)
      merged[static_cast<Eigen::Index>(averages.column_of[f])] += weights[f];
  }
  // A merged row of w equal records has w times the coefficients of a record. Divided by √w, the row adds as much to
  // the norm as the rows of the w records.
  Eigen::MatrixXd weighted = columns * merged.cwiseSqrt().asDiagonal();
  for (Eigen::Index i = 0; i < weighted.rows(); ++i) {
    weighted.row(i) /= std::sqrt(static_cast<double>(averages.row_weights[static_cast<std::size_t>(i)]));
  }
  const bool wide = weighted.cols() > weighted.rows();
  const Eigen::MatrixXd gram =
      wide ? Eigen::MatrixXd(weighted * weighted.transpose()) : Eigen::MatrixXd(weighted.transpose() * weighted);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram, Eigen::EigenvaluesOnly);
  return 1 / std::sqrt(static_cast<double>(matrix.rows()) * solver.eigenvalues().maxCoeff());
}

Result<ForsterBracket> largest_forster_bound(const SignMatrix& matrix, Average average) {
  const Averages averages = averages_of(matrix, average);
  HEARSAY_CHECK_OK(check_size(averages));
  Eigen::MatrixXd columns = scaled_columns(averages);
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    columns.row(i) /= std::sqrt(static_cast<double>(averages.row_weights[static_cast<std::size_t>(i)]));
  }
  columns *= std::sqrt(static_cast<double>(matrix.rows()));
  HEARSAY_TRY(const SemidefiniteSolution solution, solve(program_of(columns, false)));

  // For every K of trace 1 and all weights q, Σ_f q_f·c_f·c_fᵀ has an eigenvalue of at least min_f c_fᵀ·K·c_f.
  const Eigen::MatrixXd roots = vectors_of(solution.dense);
  const double least = (roots * columns).colwise().squaredNorm().minCoeff() / roots.squaredNorm();
  std::vector<double> merged;
  double sum = 0;
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    merged.push_back(std::max(0.0, -solution.multipliers[static_cast<std::size_t>(j)]));
    sum += merged.back();
  }
  if (!(sum > 0) || !(least > 0)) return Error{ErrorCode::kInternal, "csdp was too inexact to find a Forster bound"};
  // Gives all of a column's weight to its first query.
  ForsterBracket bracket{0, 1 / std::sqrt(least), std::vector<double>(matrix.columns(), 0)};
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    if (averages.column_of[f] == Averages::kNone) continue;
    bracket.weights[f] = merged[averages.column_of[f]] / sum;
    merged[averages.column_of[f]] = 0;
  }
  bracket.low = forster_bound(matrix, average, bracket.weights);
  return bracket;
}

std::vector<double> equal_weights(const SignMatrix& matrix) {
  std::vector<double> weights;
  double count = 0;
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    weights.push_back(matrix.imbalance(f) < 1 ? 1 : 0);
    count += weights.back();
  }
  for (double& weight : weights) weight /= std::max(count, 1.0);
  return weights;
}

}  // namespace hearsay::bounds
