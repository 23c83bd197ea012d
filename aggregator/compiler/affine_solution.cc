// Symbols: U = the vectors minus their average, one row for each of the M records; y = f minus its average; g = the
// weights to find. g = U⁺y = (UᵀU)⁺Uᵀy = Uᵀ(UUᵀ)⁺y. The code uses the smaller of the matrices UᵀU and UUᵀ.

#include "aggregator/compiler/affine_solution.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>

#include "aggregator/compiler/compile_explicit.h"

namespace hearsay::compiler {
namespace {

using Bytes = Eigen::Map<const Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Eigen::Index;

Eigen::MatrixXd gram(const Eigen::MatrixXd& columns, Work& work) {
  constexpr Index kPiece = 256;
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(columns.cols(), columns.cols());
  const auto steps = static_cast<std::uint64_t>(columns.cols() * columns.cols()) / 4;  // at most 2^16
  for (Index row = 0; row < columns.rows(); row += kPiece) {
    const auto piece = columns.middleRows(row, std::min(kPiece, columns.rows() - row));
    for (Index i = 0; i < piece.rows(); ++i) work.spend(steps);
    result.selfadjointView<Eigen::Lower>().rankUpdate(piece.transpose());
  }
  return result.selfadjointView<Eigen::Lower>();
}

Eigen::VectorXd pseudo_solution(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right, Work& work) {
  // A pivot below the share kZero of the largest pivot counts as 0.
  constexpr double kZero = 1e-11;
  work.spend(std::uint64_t{1} << 20U);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(kZero);
  decomposition.compute(matrix);
  return decomposition.solve(right);
}

}  // namespace

std::optional<std::vector<double>> affine_solution(const std::vector<std::uint8_t>& truth, const Explicit& vectors,
                                                   Work& work) {
  const std::size_t least = std::min(vectors.records(), vectors.dimension());
  if (least > kMaxSolved) return std::nullopt;
  const std::uint64_t entries = std::uint64_t{vectors.records()} * vectors.dimension();
  work.foresee({entries * least / 4 + std::uint64_t{least} * least * least, 16 * entries}, "create a smaller task");

  const auto records = static_cast<Index>(vectors.records());
  Eigen::MatrixXd centred =
      Bytes(vectors.vector_of(0).data(), records, static_cast<Index>(vectors.dimension())).cast<double>();
  const Eigen::RowVectorXd average = centred.colwise().mean();
  centred.rowwise() -= average;
  Eigen::VectorXd function(records);
  for (Index x = 0; x < records; ++x) function[x] = truth[static_cast<std::size_t>(x)];
  function.array() -= function.mean();

  Eigen::VectorXd solution;
  if (vectors.dimension() <= vectors.records()) {
    solution = pseudo_solution(gram(centred, work), centred.transpose() * function, work);
  } else {
    const Eigen::MatrixXd transposed = centred.transpose();
    solution = transposed * pseudo_solution(gram(transposed, work), function, work);
  }
  return std::vector<double>(solution.begin(), solution.end());
}

}  // namespace hearsay::compiler
