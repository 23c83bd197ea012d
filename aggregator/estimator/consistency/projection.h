// Jointly consistent answers to several queries and tables on the arrangement `characters`, beside the unbiased ones.
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
  std::vector<double> values;               // one per query, in their order
  std::vector<std::vector<double>> tables;  // one per table, its cells as in ContingencyTable::values
};

// Values of the queries, and cells of the tables of `tables` (attributes ascending, each 1 to the arrangement's order),
// under the nearest consistent tables. Each query's attributes, and each of `tables`, have a table of fractions; no
// fraction is negative, each table sums to 1, and tables agree on the attributes that they share. So the values lie in
// [0, 1], a query and its negation add up to 1, a query that implies another is not larger, and a query on a table's
// attributes is the sum of its cells. Nearest by weighted least squares on the means of the coordinates of all these
// tables, with the weights 1/variance of Estimator::means(): covariances between coordinates are not used. All that is
// asked for is made consistent together: more questions, more constraints, other values.
//
// These values are biased (a fraction that is 0 is never estimated below 0 and so is too large on average) and have no
// interval: they never replace the unbiased ones. In the weighted norm over the tables they are never farther from the
// truth.
//
// The queries must be compiled for the task that the estimator was created for. Errors: kUnsupported (`literals`:
// average-case estimates are no marginals of anything), kLimitExceeded (tables of more than 2^18 cells together; no
// convergence), kCancelled (`stop` was requested), those of check_table() and of Estimator::means(). Cost: milliseconds
// for pairs among 8 booleans, 10 to 15 seconds for 2^18 cells.
Result<Consistent> project(const Task& task, const Estimator& estimator, std::span<const compiler::LinearQuery> queries,
                           std::span<const std::vector<std::uint32_t>> tables, const std::stop_token& stop = {});

}  // namespace hearsay::estimator
