// Symbols: A = the matrix, outputs × records; f = the function; π = the uniform population; 1 = a vector of ones. The
// code keeps the constant part π·f apart, since a constant needs no report. With C = A - (Aπ)1ᵀ and D = diag(Aπ), the
// scores are π·f + D⁻¹C·g, where g solves CᵀD⁻¹C·g = f - π·f. As 1ᵀC = 0, the mean score of a report of record x is
// f(x).

#include "aggregator/compiler/listed_strategy.h"

#include <string>
#include <utility>

#include "aggregator/compiler/strategy_decoder.h"

namespace hearsay::compiler {

ListedStrategy::ListedStrategy(Eigen::MatrixXd probabilities)
    : probabilities_(std::move(probabilities)), mean_(probabilities_.rowwise().mean()) {
  // The code adds kRidge times the mean diagonal entry to the diagonal, so that the factorisation also works for a
  // matrix of less than full rank. scores() corrects the error that this addition causes.
  constexpr double kRidge = 1e-12;
  const Eigen::Index records = probabilities_.cols();
  contrasts_ = mean_.cwiseInverse().cwiseSqrt().asDiagonal() * (probabilities_.colwise() - mean_);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(records, records);
  normal.selfadjointView<Eigen::Lower>().rankUpdate(contrasts_.transpose());
  const double scale = normal.trace() / static_cast<double>(records);
  // Adds a multiple of 11ᵀ. As C·1 = 0 and the right sides f - π·f are orthogonal to 1, this addition does not change
  // the scores.
  normal.array() += scale / static_cast<double>(records);
  normal.diagonal().array() += scale * kRidge;
  normal_.compute(normal.selfadjointView<Eigen::Lower>());
  contrasts_ = mean_.cwiseInverse().cwiseSqrt().asDiagonal() * contrasts_;
}

Result<Eigen::MatrixXd> ListedStrategy::scores(const Eigen::MatrixXd& functions) const {
  constexpr int kRefinements = 5;
  constexpr double kRounding = 1e-10;
  const Eigen::RowVectorXd means = functions.colwise().mean();
  Eigen::MatrixXd missing = functions.rowwise() - means;
  Eigen::MatrixXd solution = Eigen::MatrixXd::Zero(functions.rows(), functions.cols());
  Eigen::MatrixXd scores;
  for (int i = 0; i < kRefinements; ++i) {
    solution += normal_.solve(missing);
    scores = (contrasts_ * solution).rowwise() + means;
    missing = functions - probabilities_.transpose() * scores;
    if (missing.cwiseAbs().maxCoeff() <= kRounding) break;
  }
  const double largest = scores.cwiseAbs().maxCoeff();
  if (missing.allFinite() && missing.cwiseAbs().maxCoeff() <= kRounding * (1 + largest)) return scores;
  return Error{ErrorCode::kQueryNotCovered, std::string(kNotInRowSpace)};
}

}  // namespace hearsay::compiler
