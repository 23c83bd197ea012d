// Scores for reports of the channel `strategy` that are best for a query's own worst people.
#pragma once

#include <Eigen/Core>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/strategy_decoder.h"
#include "hearsay/result.h"

namespace hearsay::compiler {

// The largest variance of a report's score, over people drawn anew from any population. `moments`: the mean squared
// score of each record; `function`: its mean score. Within 1e-9 of it, from above.
double largest_variance(const Eigen::VectorXd& moments, const Eigen::VectorXd& function);

// Scores with the same means as StrategyDecoder::scores(), and nearly the least largest_variance(): never more than
// that of scores(), and within 1 % of the least at ε = 1; at ε = 3 it was up to 1.6 % above. They are not linear in the
// function: the answers about disjoint sets of records and the answer about their union differ by chance.
// Deterministic: the same for the same matrix and function. Cost: some outputs·records times kWorstPeopleSteps.
// Errors: those of StrategyDecoder::scores().
constexpr int kWorstPeopleSteps = 8;
Result<Eigen::VectorXd> worst_people_scores(const StrategyDecoder& decoder, const Eigen::VectorXd& function);

// The scores that the estimate of this query has. `function`: its value for every record.
Result<Eigen::VectorXd> query_scores(const StrategyDecoder& decoder, const LinearQuery& query,
                                     const Eigen::VectorXd& function);

}  // namespace hearsay::compiler
