// Jointly consistent answers to several queries on the arrangement `characters`, beside the unbiased ones.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/estimator/estimate.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// Values of the queries under the nearest consistent tables: one per query, in their order. Each query's attributes
// have a table of fractions; no fraction is negative, each table sums to 1, and tables agree on the attributes that
// they share. So the values lie in [0, 1], a query and its negation add up to 1, and a query that implies another is
// not larger. Nearest by weighted least squares on the means of the coordinates of all these tables, with the weights
// 1/variance of Estimator::means(): covariances between coordinates are not used. A set of queries at a time: more
// queries, more constraints, other values.
//
// These values are biased (a fraction that is 0 is never estimated below 0 and so is too large on average) and have no
// interval: they never replace the unbiased ones. In the weighted norm over the tables they are never farther from the
// truth.
//
// The queries must be compiled for the task that the estimator was created for. Errors: kUnsupported (`literals`:
// average-case estimates are no marginals of anything), kLimitExceeded (tables of more than 2^18 cells together; no
// convergence), kCancelled (`stop` was requested), those of Estimator::means(). Cost: milliseconds for pairs among 8
// booleans, 10 to 15 seconds for 2^18 cells.
Result<std::vector<double>> project(const Task& task, const Estimator& estimator,
                                    std::span<const compiler::LinearQuery> queries, const std::stop_token& stop = {});

}  // namespace hearsay::estimator
