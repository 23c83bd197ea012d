// Scores for reports of the channel `strategy` that are best for the worst people of a query.
#pragma once

#include <Eigen/Core>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/strategy_decoder.h"
#include "hearsay/result.h"

namespace hearsay::compiler {

// Returns the largest variance of a report's score, over people drawn anew from any population, rounded up by at most
// 1e-9 of itself. `moments` has the mean squared score of each record, `function` its mean score.
double largest_variance(const Eigen::VectorXd& moments, const Eigen::VectorXd& function);

// Returns scores that improve on StrategyDecoder::scores(). The means of the scores are the same, and their
// largest_variance() is never more. At ε = 1 it was within 1 % of the least possible, at ε = 3 within 1.6 %. But the
// scores are not linear in the function: the answers about disjoint sets of records and the answer about their union
// differ by chance. Deterministic: the same for the same matrix and function. Cost: some outputs·records times
// kWorstPeopleSteps. Errors: those of StrategyDecoder::scores().
constexpr int kWorstPeopleSteps = 8;
Result<Eigen::VectorXd> worst_people_scores(const StrategyDecoder& decoder, const Eigen::VectorXd& function);

// Returns the scores that the estimate of this query uses. `function` is the query's value for every record.
Result<Eigen::VectorXd> query_scores(const StrategyDecoder& decoder, const LinearQuery& query,
                                     const Eigen::VectorXd& function);

}  // namespace hearsay::compiler
