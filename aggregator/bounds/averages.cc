#include "aggregator/bounds/averages.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hearsay::bounds {
namespace {

// One query's coefficients for all records, and their scale. The signs are such that the first coefficient is positive.
struct Column {
  std::vector<std::int64_t> coefficients;
  std::int64_t scale;
};

Column column_of(const SignMatrix& matrix, std::size_t query, Average average) {
  const auto satisfying = static_cast<std::int64_t>(matrix.satisfying(query));
  const auto others = static_cast<std::int64_t>(matrix.rows()) - satisfying;
  Column column{{}, average == Average::kRows ? satisfying + others : 2 * satisfying * others};
  std::int64_t yes = 1;
  std::int64_t no = 1;
  if (average == Average::kClasses) {
    const std::int64_t common = std::gcd(satisfying, others);
    yes = others / common;
    no = satisfying / common;
    column.scale /= common;
  }
  const int sign = matrix(0, query);
  for (std::size_t record = 0; record < matrix.rows(); ++record) {
    column.coefficients.push_back(sign * (matrix(record, query) == 1 ? yes : -no));
  }
  return column;
}

}  // namespace

Averages averages_of(const SignMatrix& matrix, Average average) {
  Averages result;
  result.records = matrix.rows();
  std::vector<Column> columns;
  std::map<std::vector<std::int64_t>, std::size_t> known_columns;
  for (std::size_t query = 0; query < matrix.columns(); ++query) {
    const std::size_t satisfying = matrix.satisfying(query);
    if (average == Average::kClasses && (satisfying == 0 || satisfying == matrix.rows())) {
      result.column_of.push_back(Averages::kNone);
      continue;
    }
    Column column = column_of(matrix, query, average);
    const auto [place, is_new] = known_columns.emplace(column.coefficients, columns.size());
    result.column_of.push_back(place->second);
    if (is_new) columns.push_back(std::move(column));
  }
  for (const Column& column : columns) result.scales.push_back(static_cast<double>(column.scale));

  std::map<std::vector<std::int64_t>, std::size_t> known_rows;
  std::vector<const std::vector<std::int64_t>*> rows;
  for (std::size_t record = 0; record < matrix.rows(); ++record) {
    std::vector<std::int64_t> row;
    for (const Column& column : columns) row.push_back(column.coefficients[record]);
    const int sign = !row.empty() && row.front() < 0 ? -1 : 1;
    for (std::int64_t& coefficient : row) coefficient *= sign;
    const auto [place, is_new] = known_rows.emplace(std::move(row), rows.size());
    if (is_new) {
      rows.push_back(&place->first);
      result.row_weights.push_back(0);
    }
    result.row_of.push_back(place->second);
    result.row_sign.push_back(sign);
    ++result.row_weights[place->second];
  }
  result.coefficients.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      result.coefficients(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          static_cast<double>((*rows[i])[j]) * static_cast<double>(result.row_weights[i]);
    }
  }
  return result;
}

}  // namespace hearsay::bounds
