#include "aggregator/bounds/class_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "aggregator/bounds/averages.h"
#include "aggregator/bounds/semidefinite.h"
#include "aggregator/tails/paper.h"
#include "common/base/try.h"

namespace hearsay::bounds {
namespace {

Result<ForsterBracket> forster_of(const SignMatrix& matrix, Average average) {
  Result<ForsterBracket> best = largest_forster_bound(matrix, average);
  if (best || best.error().code != ErrorCode::kLimitExceeded) return best;
  std::vector<double> weights = equal_weights(matrix);
  const double low = forster_bound(matrix, average, weights);
  return ForsterBracket{low, std::numeric_limits<double>::infinity(), std::move(weights)};
}

Result<ClassBounds::Subclass> best_subclass(const SignMatrix& matrix, double epsilon) {
  constexpr std::size_t kTried = 6;
  std::set<double> occurring;
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    if (matrix.imbalance(f) < 1) occurring.insert(matrix.imbalance(f));
  }
  const std::vector<double> sorted(occurring.begin(), occurring.end());
  std::optional<ClassBounds::Subclass> best;
  for (std::size_t i = 0; i < std::min(kTried, sorted.size()); ++i) {
    const double imbalance =
        sorted[i * (sorted.size() - 1) / std::max<std::size_t>(1, std::min(kTried, sorted.size()) - 1)];
    const std::vector<std::size_t> columns = matrix.almost_balanced(imbalance);
    HEARSAY_TRY(const ForsterBracket bracket, forster_of(matrix.with_columns(columns), Average::kRows));
    const ClassBounds::Subclass subclass{imbalance, columns.size(), bracket.low};
    const auto difference = [epsilon](const ClassBounds::Subclass& of) {
      return theorem4_difference(1, epsilon, of.forster, of.imbalance);
    };
    if (!best || difference(subclass) < difference(*best)) best = subclass;
  }
  if (!best) return Error{ErrorCode::kInvalidArgument, "every query of the class has the same answer for all records"};
  return *best;
}

double users_for(const MarginBracket& bracket, double epsilon, double beta) {
  constexpr double kAlpha = 0.5;
  const auto dimensions = static_cast<double>(bracket.arrangement.records.rows());
  const auto users = tails::theorem7_users({2 * std::sqrt(dimensions) / epsilon, bracket.low}, kAlpha, beta);
  return users ? static_cast<double>(*users) : std::numeric_limits<double>::infinity();
}

bool all_constant(const SignMatrix& matrix) {
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    if (matrix.imbalance(f) < 1) return false;
  }
  return true;
}

// The bounds of a class of constant queries. One coordinate, equal for all records, gives every query the margin 1.
ClassBounds constant_class(const SignMatrix& matrix) {
  const auto records = static_cast<Eigen::Index>(matrix.rows());
  const auto queries = static_cast<Eigen::Index>(matrix.columns());
  VectorArrangement arrangement{Eigen::MatrixXd::Ones(1, records), Eigen::MatrixXd(1, queries)};
  for (Eigen::Index f = 0; f < queries; ++f) arrangement.queries(0, f) = matrix(0, static_cast<std::size_t>(f));
  const std::vector<double> weights(matrix.columns(), 1 / static_cast<double>(queries));
  const ForsterBracket forster{1, 1, weights};
  const MarginBracket margin{1, 1, std::move(arrangement)};
  return {1,
          forster,
          forster,
          ClassBounds::Margins{margin, margin, margin},
          {1, 1, {0}},
          {1, matrix.columns(), 1},
          {{}, 1, 1, 1},
          1};
}

}  // namespace

Result<ClassBounds> bounds_of(const SignMatrix& matrix, double epsilon, double beta) {
  // This call refuses bad arguments before the long computations begin.
  HEARSAY_CHECK_OK(users_needed(epsilon, beta, 1, 1, 0));
  if (all_constant(matrix)) return constant_class(matrix);
  HEARSAY_TRY(const ClassBounds::Subclass subclass, best_subclass(matrix, epsilon));
  HEARSAY_TRY(ForsterBracket forster, forster_of(matrix, Average::kRows));
  HEARSAY_TRY(ForsterBracket class_forster, forster_of(matrix, Average::kClasses));
  HEARSAY_TRY(const UsersNeeded needed,
              users_needed(epsilon, beta, subclass.forster, class_forster.low, subclass.imbalance));
  double imbalance = 0;
  for (std::size_t f = 0; f < matrix.columns(); ++f) imbalance = std::max(imbalance, matrix.imbalance(f));
  std::optional<double> forster_high;
  if (std::isfinite(forster.high)) forster_high = forster.high;
  SqDimension dimension = sq_dimension(matrix, forster_high);
  ClassBounds bounds{
      imbalance, std::move(forster), std::move(class_forster), {}, std::move(dimension), subclass, needed, {}};
  if (!forster_high) return bounds;
  HEARSAY_TRY(MarginBracket row_average, largest_margin(matrix, Average::kRows));
  HEARSAY_TRY(MarginBracket class_average, largest_margin(matrix, Average::kClasses));
  HEARSAY_TRY(MarginBracket error_free, largest_error_free_margin(matrix));
  bounds.users_by_arrangement = users_for(class_average, epsilon, beta);
  bounds.margins = ClassBounds::Margins{std::move(row_average), std::move(class_average), std::move(error_free)};
  return bounds;
}

double seconds_for_bounds(const SignMatrix& matrix) {
  // All semidefinite programs together take about kPrograms times as long as the program for the margin.
  constexpr double kPrograms = 10;
  const Averages averages = averages_of(matrix, Average::kRows);
  if (averages.rows() * averages.columns() > kMaxBracketEntries) {
    constexpr double kMatrices = 8;
    constexpr double kOperations = 1e9;  // operations per second
    const auto [narrow, wide] = std::minmax({averages.rows(), averages.columns()});
    const auto side = static_cast<double>(narrow);
    return kMatrices * side * side * (static_cast<double>(wide) + 10 * side) / kOperations;
  }
  return kPrograms * seconds_for(averages.rows(), averages.rows() + averages.columns()) + error_free_seconds(matrix);
}

}  // namespace hearsay::bounds
