#include "aggregator/bounds/arrangement_margins.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace hearsay::bounds {
namespace {

Eigen::MatrixXd normalised(const Eigen::MatrixXd& vectors) {
  Eigen::MatrixXd result = vectors;
  for (Eigen::Index i = 0; i < result.cols(); ++i) {
    const double norm = result.col(i).norm();
    if (norm > 0) result.col(i) /= norm;
  }
  return result;
}

}  // namespace

Margins margins_of(const SignMatrix& matrix, const VectorArrangement& arrangement) {
  const Eigen::MatrixXd products = normalised(arrangement.records).transpose() * normalised(arrangement.queries);
  Margins margins{{}, {}, 1, {}, 1};
  for (std::size_t query = 0; query < matrix.columns(); ++query) {
    double sums[2] = {0, 0};
    const std::size_t satisfying = matrix.satisfying(query);
    for (std::size_t record = 0; record < matrix.rows(); ++record) {
      const int sign = matrix(record, query);
      const double margin = sign * products(static_cast<Eigen::Index>(record), static_cast<Eigen::Index>(query));
      sums[sign == 1 ? 1 : 0] += margin;
      margins.least = std::min(margins.least, margin);
    }
    margins.row_average.push_back((sums[0] + sums[1]) / static_cast<double>(matrix.rows()));
    margins.least_row_average = std::min(margins.least_row_average, margins.row_average.back());
    margins.class_average.emplace_back();
    if (satisfying == 0 || satisfying == matrix.rows()) continue;
    const double margin = (sums[1] / static_cast<double>(satisfying) +
                           sums[0] / static_cast<double>(matrix.rows() - satisfying)) / 2;
    margins.class_average.back() = margin;
    margins.least_class_average = std::min(margins.least_class_average.value_or(1), margin);
  }
  return margins;
}

VectorArrangement random_projection(const VectorArrangement& arrangement, int dimensions, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd projection(dimensions - 1, arrangement.records.rows());
  for (double& entry : projection.reshaped()) entry = normal(generator) / std::sqrt(dimensions - 1);

  VectorArrangement result{Eigen::MatrixXd::Zero(dimensions, arrangement.records.cols()),
                           Eigen::MatrixXd::Zero(dimensions, arrangement.queries.cols())};
  result.records.topRows(dimensions - 1) = projection * normalised(arrangement.records);
  result.queries.topRows(dimensions - 1) = projection * normalised(arrangement.queries);
  const double largest = result.records.colwise().norm().maxCoeff();
  if (!(largest > 0)) return result;
  result.records /= largest;
  for (Eigen::Index i = 0; i < result.records.cols(); ++i) {
    result.records(dimensions - 1, i) = std::sqrt(std::max(0.0, 1 - result.records.col(i).squaredNorm()));
  }
  return result;
}

double dimensions_for_projection(std::size_t records, std::size_t queries, double margin, double beta) {
  const auto all = static_cast<double>(records + queries);
  return std::ceil(8 * std::log(4 * all / beta) +
                   128 / (margin * margin) * std::log(8 * static_cast<double>(queries) / beta));
}

}  // namespace hearsay::bounds
