// Estimates from the channel `sampled` if reports ask other questions than parities of one bit.
#pragma once

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/estimator/questions/question_index.h"

namespace hearsay::estimator {

// Answers a query; see Estimator::estimate(). Throws compiler::WorkStopped.
Result<Estimate> question_estimate(const QuestionIndex& index, const compiler::LinearQuery& query, double confidence,
                                   compiler::Work& work);

}  // namespace hearsay::estimator
