// Makes answers to several queries and tables consistent with each other, on `characters`. Show them beside the
// unbiased ones.
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
  // One for each query, in their order.
  std::vector<double> values;
  // One for each table; cells as in ContingencyTable::values.
  std::vector<std::vector<double>> tables;
};

// Returns values of the queries and cells of the tables under the nearest consistent tables. The attributes of each
// query, and each element of `tables` (ascending, 1 to the arrangement's order), get a table of fractions. No fraction
// is negative, each table sums to 1, and tables agree on the attributes that they share.
//
// So values lie in [0, 1]. A query and its negation add up to 1. A query that implies another is not larger. A query on
// a table's attributes is the sum of its cells.
//
// Nearest means weighted least squares on the means of the coordinates of all these tables, with the weights 1/variance
// of Estimator::means(); covariances are not used. All queries and tables of one call are made consistent together, so
// further questions change the values.
//
// The values are biased: the estimate of a fraction 0 is never below 0, and so too large on average. They have no
// interval and never replace the unbiased values. In the weighted norm over the tables they are never farther from the
// truth.
//
// The queries must be compiled for the estimator's task. Errors: kUnsupported (`literals`: average-case estimates are
// no marginals), kLimitExceeded (tables of more than 2^18 cells together; no convergence), kCancelled (`stop` was
// requested), those of check_table() and of Estimator::means(). Cost: milliseconds for pairs among 8 booleans, 10 to 15
// seconds for 2^18 cells.
Result<Consistent> project(const Task& task, const Estimator& estimator, std::span<const compiler::LinearQuery> queries,
                           std::span<const std::vector<std::uint32_t>> tables, const std::stop_token& stop = {});

}  // namespace hearsay::estimator
