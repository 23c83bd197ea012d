// Makes answers to several queries and tables consistent with each other, on `characters`. Show the consistent values
// beside the unbiased values, not in place of them.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/estimator/estimate.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// Jointly consistent values of queries and cells of contingency tables.
struct Consistent {
  // One for each query, in the order of the queries.
  std::vector<double> values;
  // One for each table; cells as in ContingencyTable::values.
  std::vector<std::vector<double>> tables;
};

// Finds a table of fractions for the attributes of each query, and for each element of `tables` (attributes, ascending,
// at least one and at most order()). No fraction is negative, each table sums to 1, and tables agree on the attributes
// that they share. Returns the values of the queries under these tables, and the cells of the tables asked for.
//
// So values lie in [0, 1]. A query and its negation add up to 1. If a query implies another query, the first query has
// no larger value than the second. The value of a query on a table's attributes is a sum of cells of the table.
//
// Of all such tables, takes the tables nearest to the estimates. The distance is a sum of squares over the means of all
// coordinates of the tables, with the weights 1/variance of Estimator::means() and without covariances. One call makes
// all its queries and tables consistent together, so a further query in the call may change all values.
//
// The values are biased: for example, the value of a fraction 0 is never below 0, so this value is too large on
// average. The values have no interval. In the weighted norm over the means, the values are not farther from the truth
// than the estimates.
//
// The queries must be compiled for the estimator's task. Errors: kUnsupported (the arrangement is not `characters`),
// kLimitExceeded (the tables have more than 2^18 cells together; no convergence), kCancelled (`stop` was requested),
// those of check_table() and of Estimator::means(). Cost: that of nearest_consistent(), which can take many seconds for
// 2^18 cells.
Result<Consistent> project(const Task& task, const Estimator& estimator, std::span<const compiler::LinearQuery> queries,
                           std::span<const std::vector<std::uint32_t>> tables, const std::stop_token& stop = {});

}  // namespace hearsay::estimator
