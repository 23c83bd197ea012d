// Finds scores for reports of the channel `strategy` that make the largest variance over all populations small.
#pragma once

#include <Eigen/Core>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/strategy_decoder.h"
#include "hearsay/result.h"

namespace hearsay::compiler {

// Returns the largest variance of a report's score, over people drawn anew from any population. The result may be
// slightly too large. `moments` has the mean squared score for each record, and `function` the mean score.
double largest_variance(const Eigen::VectorXd& moments, const Eigen::VectorXd& function);

// Returns scores that improve on StrategyDecoder::scores(): the means are the same, and largest_variance() is not
// larger. But the scores are not linear in the function: the answers about disjoint sets of records need not add up to
// the answer about the union of these sets. The result is deterministic: the same matrix and function give the same
// scores. Cost: kWorstPeopleSteps times a small multiple of outputs·records. Errors: those of
// StrategyDecoder::scores().
constexpr int kWorstPeopleSteps = 8;
Result<Eigen::VectorXd> worst_people_scores(const StrategyDecoder& decoder, const Eigen::VectorXd& function);

// Returns the scores that the estimate of the query uses. `function` is the query's value for every record.
Result<Eigen::VectorXd> query_scores(const StrategyDecoder& decoder, const LinearQuery& query,
                                     const Eigen::VectorXd& function);

}  // namespace hearsay::compiler
