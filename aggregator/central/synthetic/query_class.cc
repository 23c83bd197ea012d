#include "aggregator/central/synthetic/query_class.h"

#include <cmath>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

template <class Row>
Result<void> check_shape(const std::vector<Row>& queries) {
  if (queries.empty() || queries[0].empty()) {
    return Error{ErrorCode::kInvalidArgument, "a class needs at least one query, and a domain at least one element"};
  }
  for (const Row& query : queries) {
    if (query.size() != queries[0].size()) {
      return Error{ErrorCode::kInvalidArgument, "every query needs one weight for each element of the domain"};
    }
  }
  if (queries.size() > QueryClass::kMostWeights / queries[0].size()) {
    return Error{ErrorCode::kDomainTooLarge, "a class may have at most 2^26 weights, since it is held in memory"};
  }
  return {};
}

}  // namespace

Result<QueryClass> QueryClass::predicates(const std::vector<std::vector<std::uint8_t>>& queries) {
  HEARSAY_CHECK_OK(check_shape(queries));
  std::vector<std::uint32_t> columns(queries.size() * queries[0].size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (std::size_t x = 0; x < queries[q].size(); ++x) columns[x * queries.size() + q] = queries[q][x] != 0 ? 1 : 0;
  }
  return QueryClass(queries.size(), 1, std::move(columns));
}

Result<QueryClass> QueryClass::linear(const std::vector<std::vector<double>>& queries, std::uint64_t unit) {
  HEARSAY_CHECK_OK(check_shape(queries));
  if (unit < 1 || unit > kLargestUnit) {
    return Error{ErrorCode::kInvalidArgument, "the unit of the weights must lie in [1, 10^6]"};
  }
  std::vector<std::uint32_t> columns(queries.size() * queries[0].size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (std::size_t x = 0; x < queries[q].size(); ++x) {
      const double weight = queries[q][x];
      if (!(weight >= 0 && weight <= 1)) {
        return Error{ErrorCode::kInvalidArgument, "the weights of a linear query must lie in [0, 1]"};
      }
      columns[x * queries.size() + q] = static_cast<std::uint32_t>(std::lround(weight * static_cast<double>(unit)));
    }
  }
  return QueryClass(queries.size(), unit, std::move(columns));
}

}  // namespace hearsay::central
