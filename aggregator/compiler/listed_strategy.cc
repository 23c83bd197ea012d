// The constant part of f needs no report, and is kept apart: at small ε all other parts are small beside it. With the
// uniform population π, C = A - (Aπ)1ᵀ and D = diag(Aπ), the scores are π·f + D⁻¹C·g with CᵀD⁻¹C·g = f - π·f. Their
// mean is right because 1ᵀC = 0.

#include "aggregator/compiler/listed_strategy.h"

#include <string>
#include <utility>

#include "aggregator/compiler/strategy_decoder.h"

namespace hearsay::compiler {

ListedStrategy::ListedStrategy(Eigen::MatrixXd probabilities)
    : probabilities_(std::move(probabilities)), mean_(probabilities_.rowwise().mean()) {
  // For matrices of less than full rank. scores() corrects what this adds.
  constexpr double kRidge = 1e-12;
  const Eigen::Index records = probabilities_.cols();
  contrasts_ = mean_.cwiseInverse().cwiseSqrt().asDiagonal() * (probabilities_.colwise() - mean_);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(records, records);
  normal.selfadjointView<Eigen::Lower>().rankUpdate(contrasts_.transpose());
  const double scale = normal.trace() / static_cast<double>(records);
  // The right sides are orthogonal to 1, the one direction without contrast. So what is added there changes nothing.
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
