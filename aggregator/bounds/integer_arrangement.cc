#include "aggregator/bounds/integer_arrangement.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "common/base/try.h"

namespace hearsay::bounds {
namespace {

constexpr double kLargest = 127;
constexpr Eigen::Index kMostEntries = Eigen::Index{1} << 20U;

Eigen::MatrixXd rounded(const Eigen::MatrixXd& vectors) {
  const double largest = vectors.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return vectors;
  return (vectors * (kLargest / largest)).array().round();
}

// Gives all record vectors one length, by a further coordinate that is 0 in all queries' vectors. So margins_of()
// divides all record vectors by one norm.
VectorArrangement padded(const VectorArrangement& integers) {
  const Eigen::Index d = integers.records.rows();
  VectorArrangement result{Eigen::MatrixXd::Zero(d + 1, integers.records.cols()),
                           Eigen::MatrixXd::Zero(d + 1, integers.queries.cols())};
  result.records.topRows(d) = integers.records;
  result.queries.topRows(d) = integers.queries;
  const Eigen::VectorXd squares = integers.records.colwise().squaredNorm().transpose();
  result.records.row(d) = (squares.maxCoeff() - squares.array()).sqrt().matrix().transpose();
  return result;
}

VectorArrangement compact(const VectorArrangement& integers) {
  std::vector<Eigen::Index> kept;
  for (Eigen::Index j = 0; j < integers.records.rows(); ++j) {
    if (integers.records.row(j).any() && integers.queries.row(j).any()) kept.push_back(j);
  }
  return {integers.records(kept, Eigen::all), integers.queries(kept, Eigen::all)};
}

std::vector<std::int8_t> bytes_of(const Eigen::MatrixXd& vectors) {
  std::vector<std::int8_t> bytes;
  for (const double entry : vectors.reshaped()) bytes.push_back(static_cast<std::int8_t>(entry));  // column by column
  return bytes;
}

}  // namespace

Result<IntegerArrangement> integer_arrangement(const SignMatrix& matrix, const VectorArrangement& arrangement,
                                               const Schema& schema, const std::vector<Query>& queries) {
  VectorArrangement integers{rounded(arrangement.records), arrangement.queries};
  for (Eigen::Index f = 0; f < integers.queries.cols(); ++f) {
    integers.queries.col(f) = rounded(arrangement.queries.col(f));
  }
  integers = compact(integers);
  const Eigen::Index d = integers.records.rows();
  if (d == 0) return Error{ErrorCode::kInvalidArgument, "the arrangement rounds to vectors of zeros"};
  if (std::max(integers.records.cols(), integers.queries.cols()) > kMostEntries / d) {
    return Error{ErrorCode::kLimitExceeded,
                 "the arrangement has more than 2^20 entries: project it to fewer dimensions"};
  }
  IntegerArrangement result;
  result.before = margins_of(matrix, arrangement).least_class_average.value_or(0);
  result.after = margins_of(matrix, padded(integers)).least_class_average.value_or(0);
  result.spec.dimension = static_cast<std::uint32_t>(d);
  result.spec.records = bytes_of(integers.records);
  std::set<std::string> known;
  for (std::size_t f = 0; f < queries.size(); ++f) {
    const bool constant = matrix.imbalance(f) == 1;
    const auto column = integers.queries.col(static_cast<Eigen::Index>(f));
    std::string text = queries[f].to_string(schema);
    if (constant || !column.any() || !known.insert(text).second) continue;
    result.spec.queries.push_back({std::move(text), bytes_of(column)});
  }
  if (result.spec.queries.empty())
    return Error{ErrorCode::kInvalidArgument, "all queries of the class are constant, or round to zero"};
  return result;
}

Result<NumberedClass> numbered_class(const SignMatrix& matrix) {
  HEARSAY_TRY(Attribute record, Attribute::range("record", 0, static_cast<std::int64_t>(matrix.rows()) - 1));
  HEARSAY_TRY(Schema schema, Schema::create({std::move(record)}));
  std::vector<Query> queries;
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    ValueSet values;
    for (std::uint32_t x = 0; x < matrix.rows(); ++x) {
      if (matrix(x, f) != 1) continue;
      if (!values.empty() && values.back().second + 1 == x) {
        values.back().second = x;
      } else {
        values.emplace_back(x, x);
      }
    }
    queries.emplace_back(query::Node(query::Membership{0, std::move(values)}));
  }
  return NumberedClass{std::move(schema), std::move(queries)};
}

}  // namespace hearsay::bounds
